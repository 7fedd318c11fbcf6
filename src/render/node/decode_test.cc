#include "render/node/decode.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

TEST(DecodePemField, TakesBase64AndPemAndNothingElse) {
  EXPECT_EQ(*decode_pem_field(" Y2Vy\ndA==\n", "f"), "cert");
  EXPECT_EQ(*decode_pem_field("-----BEGIN CERTIFICATE-----\nx\n", "f"), "-----BEGIN CERTIFICATE-----\nx\n");
  EXPECT_EQ(*decode_pem_field("", "f"), "");
  const auto wrong = decode_pem_field("hunter2!", "kubelet_config.kubelet_client_key");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().what, "kubelet_config.kubelet_client_key is neither base64 nor PEM");
}

TEST(DecodeTextField, KeepsWhatIsNotBase64) {
  EXPECT_EQ(decode_text_field("Zm9vYmFyDQo="), "foobar\r\n");
  EXPECT_EQ(decode_text_field("line one\nline two"), "line one\nline two");
}

}  // namespace
}  // namespace sunup::render::node
