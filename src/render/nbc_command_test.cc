#include "render/nbc_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/test_nbc.h"

namespace sunup::render {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string why(std::string_view text) {
  const auto read = read_nbc_command(text);
  return read ? "" : read.error().what;
}

std::string value(std::string_view assignment, std::string_view name) {
  const auto read = read_nbc_command(test_command(assignment));
  EXPECT_TRUE(read) << (read ? "" : read.error().what);
  return read ? std::string(read->value(name)) : "";
}

std::string column_of(std::string_view text, std::string_view what) {
  return "column " + std::to_string(text.find(what) + 1) + ": ";
}

TEST(NbcCommand, ReadsWordsAsAShellDoes) {
  EXPECT_EQ(value("LOCATION=westeurope SUBNET= VM_TYPE=vmss", "LOCATION"), "westeurope");
  EXPECT_EQ(value("LOCATION= SUBNET=s", "LOCATION"), "");
  EXPECT_EQ(value(R"(KUBELET_FLAGS="--a=b --c=d ")", "KUBELET_FLAGS"), "--a=b --c=d ");
  EXPECT_EQ(value(R"(MESSAGE_OF_THE_DAY='it is; $(not) run')", "MESSAGE_OF_THE_DAY"), "it is; $(not) run");
  EXPECT_EQ(value(R"(CUSTOM_SEARCH_REALM_PASSWORD="a\"b\$c\\d")", "CUSTOM_SEARCH_REALM_PASSWORD"), "a\"b$c\\d");
  EXPECT_EQ(value(R"(CUSTOM_SEARCH_REALM_PASSWORD="costs 5$")", "CUSTOM_SEARCH_REALM_PASSWORD"), "costs 5$");
  EXPECT_EQ(value("APISERVER_PUBLIC_KEY=QUJD/A_B+Cg==", "APISERVER_PUBLIC_KEY"), "QUJD/A_B+Cg==");
  // Adjacent quoted and unquoted pieces form one word.
  EXPECT_EQ(value(R"(PROXY_VARS="export NO_PROXY="a,b"; export HTTPS_PROXY="http://p:1"; ")", "PROXY_VARS"),
            "export NO_PROXY=a,b; export HTTPS_PROXY=http://p:1; ");
}

TEST(NbcCommand, ReadsEveryFormOfThePreamble) {
  const std::string hook =
      "INIT_AKS_CLOUD_FILEPATH=\"/opt/azure/containers/init-aks-cloud.sh\"; if [ -f \"${INIT_AKS_CLOUD_FILEPATH}\" ]; "
      "then  REPO_DEPOT_ENDPOINT=\"https://repo\" LOCATION=x \"${INIT_AKS_CLOUD_FILEPATH}\" >> "
      "/var/log/azure/cluster-provision.log 2>&1; fi; ";
  const auto today = read_nbc_command(test_command(hook + "LOCATION=x"));
  ASSERT_TRUE(today) << today.error().what;
  EXPECT_EQ(today->value("REPO_DEPOT_ENDPOINT"), "https://repo");
  const auto older =
      read_nbc_command(test_command("  REPO_DEPOT_ENDPOINT=\"\" "
                                    "/opt/azure/containers/init-aks-custom-cloud.sh >> "
                                    "/var/log/azure/cluster-provision.log 2>&1;  LOCATION=x"));
  EXPECT_TRUE(older) << older.error().what;
  EXPECT_THAT(why(test_command(hook + "LOCATION=y")), HasSubstr("LOCATION is not what the cloud's hook gets"));
  // Line breaks at the end of a statement have no meaning.
  std::string lines = test_command("LOCATION=x");
  lines.replace(lines.find("; echo"), 2, ";\n");
  EXPECT_EQ(why(lines + "\n"), "");
}

TEST(NbcCommand, TakesNilAsUnset) {
  const auto read = read_nbc_command(test_command("CLOUDPROVIDER_BACKOFF=<nil> CLOUDPROVIDER_RATELIMIT=\"<nil>\""));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_TRUE(read->find("CLOUDPROVIDER_BACKOFF")->nil);
  EXPECT_TRUE(read->find("CLOUDPROVIDER_RATELIMIT")->nil);
  EXPECT_EQ(value("KUBERNETES_VERSION=>=1.32.x LOCATION=a", "KUBERNETES_VERSION"), ">=1.32.x");
}

TEST(NbcCommand, TheLastOfTwoCounts) {
  EXPECT_EQ(value("NETWORK_POLICY= KUBELET_FLAGS=\"\" NETWORK_POLICY=\"calico\"", "NETWORK_POLICY"), "calico");
  EXPECT_EQ(value("LOCATION=a LOCATION=a", "LOCATION"), "a");
  EXPECT_THAT(why(test_command("LOCATION=a LOCATION=b")), HasSubstr("LOCATION is assigned twice"));
}

TEST(NbcCommand, RefusesWhatItCannotKnowWithItsColumn) {
  for (const auto& [variables, where, reason] :
       std::initializer_list<std::tuple<const char*, const char*, const char*>>{
           {"LOCATION=$(curl x) SUBNET=a", "$(curl", "expansion"},
           {"LOCATION=\"a$(b)\" SUBNET=a", "$(b)", "expansion"},
           {"LOCATION=\"${HOME}\" SUBNET=a", "${HOME}", "expansion"},
           {"LOCATION=$HOME SUBNET=a", "$HOME", "expansion"},
           {"LOCATION=\"`id`\" SUBNET=a", "`id`", "command substitution"},
           {"LOCATION=~ SUBNET=a", "~ SUBNET", "expansion"},
           {"LOCATION=west europe SUBNET=a", "europe", "after LOCATION: another command, or a blank"},
           {"LOCATION=a; SUBNET=a", "; SUBNET", "another statement"},
           {"LOCATION=a & SUBNET=a", "& SUBNET", "neither a variable"},
           {"LOCATION=a&b SUBNET=a", "&b", "unquoted `&`"},
           {"LOCATION=a\nSUBNET=b", "\nSUBNET", "line break"},
           {"LOCATION=(a b) SUBNET=b", "(a", "unquoted `(`"},
           {"LOCATION=a SUBNET+=b", "SUBNET+=", "neither a variable"},
           {"LOCATION=a # SUBNET=b", "# SUBNET", "neither a variable"},
           {"LOCATION=a NEW_FEATURE=on", "NEW_FEATURE", "NEW_FEATURE is not known"},
           {"LOCATION=a PATH=/tmp", "PATH", "PATH is not known"},
           {"LOCATION=a LD_PRELOAD=x", "LD_PRELOAD", "LD_PRELOAD is not known"},
           {"LOCATION=a PROVISION_OUTPUT=x", "PROVISION_OUTPUT=x", "PROVISION_OUTPUT is not known"},
           {"rm -rf / ; LOCATION=a", "rm", "no variable"},
           {"export LOCATION=a", "export", "no variable"},
           {"LOCATION=$'a\\x41' SUBNET=a", "$'a", "expansion"},
           {"LOCATION=<nil> SUBNET=a", "<nil>", "unquoted `<`"},
       }) {
    const std::string text = test_command(variables);
    EXPECT_THAT(why(text), StartsWith(text.find('\n') < text.find(where) ? "line" : column_of(text, where)))
        << variables;
    EXPECT_THAT(why(text), HasSubstr(reason)) << variables;
  }
}

TEST(NbcCommand, RefusesJoinedLines) {
  for (const char* variables : {"LOCATION=\\\n~root", "LOCATION=\"$\\\nHOME\"", "LOCATION=a\\\nSUBNET=b"})
    EXPECT_THAT(why(test_command(variables)), HasSubstr("a backslash before a line break")) << variables;
}

TEST(NbcCommand, SaysThatAFileIsNoCommandAtAll) {
  EXPECT_EQ(why(""), "column 1: this is no bootstrap command: the file is empty");
  EXPECT_EQ(why(" \n"), "column 1: this is no bootstrap command: the file is empty");
  EXPECT_EQ(why("{\"version\": \"v1\"}"), "column 1: this is no bootstrap command but JSON, as a config is");
  for (const std::string& other : {std::string("root:x:0:0::/root:/bin/bash\n"), std::string("\177ELF\0\1", 6)})
    EXPECT_EQ(why(other), "column 1: this is no bootstrap command, which begins with PROVISION_OUTPUT=");
}

TEST(NbcCommand, SaysThatACommandMayBeCutOff) {
  const std::string whole = test_command("LOCATION=\"a\" SUBNET=b");
  size_t hints = 0;
  for (size_t size = std::string_view("PROVISION_OUTPUT=").size(); size + 2 < whole.size(); ++size) {
    const auto cut = read_nbc_command(whole.substr(0, size));
    ASSERT_FALSE(cut) << size;
    hints += cut.error().hint.find("cut off") != std::string::npos;
  }
  EXPECT_EQ(hints, whole.size() - 2 - std::string_view("PROVISION_OUTPUT=").size());
  // A complete but invalid command does not get the hint.
  EXPECT_EQ(read_nbc_command(test_command("LOCATION=$HOME")).error().hint, "");
}

TEST(NbcCommand, RefusesAnotherFrame) {
  const std::string good = test_command("LOCATION=a");
  EXPECT_EQ(why(good), "");
  EXPECT_THAT(why(""), StartsWith("column 1: "));
  EXPECT_THAT(why("#!/bin/bash\n" + good), StartsWith("column 1: "));
  EXPECT_THAT(why("echo hello\n" + good), StartsWith("column 1: "));
  EXPECT_THAT(why(good + "; rm -rf /"), HasSubstr("does not end after its script"));
  EXPECT_THAT(why(good + "\nrm"), HasSubstr("does not end after its script"));
  EXPECT_THAT(why(good + "&"), HasSubstr("does not end after its script"));
  std::string other = good;
  other.replace(other.find("provision_start"), 15, "something_else_");
  EXPECT_THAT(why(other), HasSubstr("this is not what a command has here"));
  EXPECT_THAT(why(std::string(kTestStart) + "LOCATION=a "), HasSubstr("without the script"));
  EXPECT_THAT(why(std::string(kTestStart) + "LOCATION=\"a " + std::string(kTestEnd)), Not(""));
  EXPECT_THAT(why(test_command(std::string("LOCATION=a\0b", 12))), HasSubstr("NUL"));
  EXPECT_THAT(why(test_command("LOCATION=\xff")), HasSubstr("UTF-8"));
  EXPECT_THAT(why(std::string(kMaxNbcBytes + 1, 'x')), HasSubstr("too large"));
}

TEST(NbcCommand, AReasonHasNoValueInIt) {
  for (const char* variables :
       {"TLS_BOOTSTRAP_TOKEN=abcdef.s3cr3t s3cr3t LOCATION=a", "CUSTOM_SEARCH_REALM_PASSWORD=\"s3cr3t$x\"",
        "CUSTOM_SEARCH_REALM_PASSWORD=a s3cr3t=b", "TLS_BOOTSTRAP_TOKEN=\"s3cr3t", "LOCATION=a;s3cr3t"})
    EXPECT_THAT(why(test_command(variables)), testing::AllOf(Not(""), Not(HasSubstr("s3cr3t")))) << variables;
}

}  // namespace
}  // namespace sunup::render
