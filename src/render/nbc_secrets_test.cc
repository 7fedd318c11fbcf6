#include "render/nbc_secrets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup::render {
namespace {

std::vector<std::string> secrets_in(std::string_view text) {
  std::vector<std::string> out;
  for (const Secret& secret : nbc_secrets(text)) out.emplace_back(secret.reveal());
  return out;
}

TEST(NbcSecrets, AreTheValuesOfVariablesThatMayHoldOne) {
  EXPECT_THAT(
      secrets_in("CLUSTER_NAME=x SERVICE_PRINCIPAL_FILE_CONTENT='a b' KUBELET_CLIENT_CONTENT=LS0t /bin/bash go"),
      testing::UnorderedElementsAre("a b", "LS0t"));
  EXPECT_THAT(secrets_in("SERVICE_PRINCIPAL_CLIENT_SECRET=old"), testing::ElementsAre("old")) << "of older commands";
  EXPECT_THAT(secrets_in("nothing here"), testing::IsEmpty());
}

TEST(NbcSecrets, HoldTheUrlsOfAScriptInAValue) {
  EXPECT_THAT(secrets_in("PROXY_VARS=\"export HTTPS_PROXY='http://u:p@h:1/'; export A=b\""),
              testing::Contains("http://u:p@h:1/"));
}

}  // namespace
}  // namespace sunup::render
