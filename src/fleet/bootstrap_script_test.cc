#include "fleet/bootstrap_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "fleet/drift_state.h"
#include "fleet/test_node.h"

namespace sunup::fleet {
namespace {

using ::testing::HasSubstr;

TEST(BootstrapScript, QuotesWhateverIsSpecialToTheShell) {
  std::string word;
  append_shell_word(word, R"(a"b$c`d\e)", true);
  EXPECT_EQ(word, R"("a\"b\$c\`d\\e")");
  word.clear();
  append_shell_word(word, "it's $HOME", false);
  EXPECT_EQ(word, R"('it'\''s $HOME')");
  word.clear();
  append_shell_word(word, "https://a/b.tgz", false);
  EXPECT_EQ(word, "https://a/b.tgz");
}

TEST(BootstrapScript, AssignsEveryNameOfTheContractInOrder) {
  const std::vector<Assignment> lines = assignments(TestNode().resolve().variables);
  ASSERT_EQ(lines.size(), 129u);  // of 131, one needs a custom cloud and one a certificate
  EXPECT_EQ(lines[0].name, "ADMINUSER");
  EXPECT_EQ(lines[5].name, "KUBE_BINARY_URL");
  EXPECT_EQ(lines[47].name, "KUBE_BINARY_URL");
  EXPECT_EQ(lines[48].name, "USER_ASSIGNED_IDENTITY_ID");
  EXPECT_EQ(lines[69].name, "CUSTOM_CA_TRUST_COUNT");
  EXPECT_EQ(lines[124].name, "IS_KATA");
  EXPECT_EQ(lines[128].name, "CSE_TIMEOUT");
}

TEST(BootstrapScript, CarriesCustomCertificates) {
  TestNode test;
  test.settings["custom-ca-certs"] = R"(["QUFB", "QkJC"])";
  const std::string script = bootstrap_script(test.resolve().variables);
  EXPECT_THAT(script, HasSubstr("SHOULD_CONFIGURE_CUSTOM_CA_TRUST=\"true\"\nCUSTOM_CA_TRUST_COUNT=\"2\"\n"
                                "CUSTOM_CA_CERT_0=\"QUFB\"\nCUSTOM_CA_CERT_1=\"QkJC\"\n"));
}

// Any text a user can get into a value comes out of the shell as it went in.
TEST(BootstrapScript, QuotingIsUndoneByTheShellsRules) {
  EXPECT_TRUE(rc::check([](std::string value, bool quoted) {
    value.erase(std::remove(value.begin(), value.end(), '\0'), value.end());
    std::string line = "X=";
    append_shell_word(line, value, quoted);
    RC_ASSERT(script_variables(line + "\n")["X"] == value);
  }));
}

}  // namespace
}  // namespace sunup::fleet
