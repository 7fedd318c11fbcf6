#include "render/nbc_secrets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

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

TEST(NbcSecrets, AreFoundBehindAnApostropheInARemark) {
  EXPECT_THAT(secrets_in("#!/bin/bash\n"
                         "# Don't edit this file\n"
                         "TLS_BOOTSTRAP_TOKEN=abcdef.0123456789abcdef\n"
                         "echo \"token is $TLS_BOOTSTRAP_TOKEN\"\n"),
              testing::ElementsAre("abcdef.0123456789abcdef"));
}

TEST(NbcSecrets, AreFoundWhereverAnAssignmentStands) {
  for (const std::string before :
       {"export ", "declare -x ", "readonly ", "env ", "A=1 ", "A='it''s' ", "if true; then ", "(", "$(", "{ ", "\t",
        "x;", "cat <<END\nit's \"\nEND\n", "echo it\\'s; ", "docker run --env=", "# don't set ", "\r\n"})
    EXPECT_THAT(secrets_in(before + "TLS_BOOTSTRAP_TOKEN=abcdef.0123456789abcdef run"),
                testing::Contains("abcdef.0123456789abcdef"))
        << before;
  EXPECT_THAT(secrets_in("(TLS_BOOTSTRAP_TOKEN=abcdef.0123)"), testing::Contains("abcdef.0123"));
  EXPECT_THAT(secrets_in("MY_TLS_BOOTSTRAP_TOKEN=a xTLS_BOOTSTRAP_TOKEN=b TLS_BOOTSTRAP_TOKEN =c TLS_BOOTSTRAP_TOKEN"),
              testing::IsEmpty());
}

TEST(NbcSecrets, AreAllValuesThatAVariableEverHas) {
  EXPECT_THAT(secrets_in("TLS_BOOTSTRAP_TOKEN=first\nTLS_BOOTSTRAP_TOKEN=second TLS_BOOTSTRAP_TOKEN+=-third\n"),
              testing::ElementsAre("-third", "first", "second"));
}

TEST(NbcSecrets, AreWhatAShellMakesOfThem) {
  EXPECT_THAT(secrets_in(R"(export TLS_BOOTSTRAP_TOKEN="planted\$tok\$en-0123")"),
              testing::IsSupersetOf({"planted$tok$en-0123", R"(planted\$tok\$en-0123)"}));
  EXPECT_THAT(secrets_in(R"(export SERVICE_PRINCIPAL_FILE_CONTENT='it'\''s-a-secret-value')"),
              testing::Contains("it's-a-secret-value"));
  EXPECT_THAT(secrets_in(R"(TLS_BOOTSTRAP_TOKEN=$'it\'s\n\x61' run)"), testing::Contains("it's\na"));
  EXPECT_THAT(secrets_in("KUBELET_CLIENT_CONTENT=LS0tLQ== run"), testing::ElementsAre("LS0tLQ=="));
  EXPECT_THAT(secrets_in("TLS_BOOTSTRAP_TOKEN=\"$A-0123\""), testing::ElementsAre("$A-0123")) << "nobody knows $A";
}

TEST(NbcSecrets, AreFoundInWhatAnotherShellWillRead) {
  for (const char* text :
       {R"(bash -c "TLS_BOOTSTRAP_TOKEN=\"it's a \\\"token\\\"\" run"; echo "x")",
        R"(bash -c 'TLS_BOOTSTRAP_TOKEN="it'\''s a \"token\"" run')",
        "bash -c '\n  export TLS_BOOTSTRAP_TOKEN=\"it'\\''s a \\\"token\\\"\"\n'",
        "bash -c \"\n  export TLS_BOOTSTRAP_TOKEN=\\\"it's a \\\\\\\"token\\\\\\\"\\\"\n\"\necho \"x\""})
    EXPECT_THAT(secrets_in(text), testing::Contains("it's a \"token\"")) << text;
  EXPECT_THAT(secrets_in("echo \"TLS_BOOTSTRAP_TOKEN=abcdef.0123\"\necho \"done now\""),
              testing::Contains("abcdef.0123"));
}

TEST(NbcSecrets, MayGoOnOverLines) {
  for (const char* text : {"KUBELET_CLIENT_CONTENT='-----BEGIN\nMIIE\n-----END'",
                           "KUBELET_CLIENT_CONTENT=\"-----BEGIN\nMIIE\n-----END\" go",
                           "bash -c 'KUBELET_CLIENT_CONTENT=\"-----BEGIN\nMIIE\n-----END\" go'"})
    EXPECT_THAT(secrets_in(text), testing::Contains("-----BEGIN\nMIIE\n-----END")) << text;
}

TEST(NbcSecrets, AreNotTheLinesUpToTheNextQuote) {
  for (const char* text :
       {"grep '^TLS_BOOTSTRAP_TOKEN=' /etc/default/kubelet\nsystemctl restart kubelet\necho 'done'\n",
        "echo \"TLS_BOOTSTRAP_TOKEN=\"\nsystemctl restart kubelet\necho \"done\"\n",
        "echo \"TLS_BOOTSTRAP_TOKEN=abc\"\nsystemctl restart kubelet\necho \"done\"\n",
        "export TLS_BOOTSTRAP_TOKEN='it'\\''s'\nsystemctl restart kubelet\necho 'done'\n",
        "cat <<END\nTLS_BOOTSTRAP_TOKEN=\"\nsystemctl restart kubelet\nEND\n"})
    EXPECT_THAT(secrets_in(text), testing::Each(testing::Not(testing::AnyOf(testing::HasSubstr("systemctl"),
                                                                            testing::HasSubstr("/etc/default")))))
        << text;
}

RC_GTEST_PROP(NbcSecrets, AreFoundWhateverTheLinesBefore, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("aA=#'\"`; \t\n\r\\$({<")));
  const auto found = secrets_in(text + "\nTLS_BOOTSTRAP_TOKEN='it is '\\''planted' run\n");
  RC_ASSERT(std::ranges::find(found, std::string("it is 'planted")) != found.end());
}

}  // namespace
}  // namespace sunup::render
