#include "controller/command_line.h"

#include <gtest/gtest.h>

namespace sunup::controller {
namespace {

using Kind = CommandLine::Kind;

std::optional<std::string> only_fast_or_slow(std::string_view value) {
  if (value == "fast" || value == "slow") return std::nullopt;
  return "must be fast or slow";
}

constexpr Flag kProvisionFlags[] = {{"provision-config", "FILE", "the config"},
                                    {"dry-run", "", "change nothing"},
                                    {"pace", "PACE", "how", only_fast_or_slow}};
constexpr VerbSyntax kVerbs[] = {{"provision", "provisions", "aks-node-controller provision", kProvisionFlags},
                                 {"version", "prints", "aks-node-controller version", {}}};

CommandLine parse(std::vector<std::string_view> args) {
  return parse_command_line(args, kVerbs);
}

TEST(CommandLine, SaysNothingAboutAMissingOrUnknownVerb) {
  for (const std::vector<std::string_view>& args :
       std::vector<std::vector<std::string_view>>{{}, {"frobnicate"}, {""}, {"--"}, {"-"}})
    EXPECT_EQ(parse(args).kind, Kind::kNothing);
}

TEST(CommandLine, ComplainsAboutAnUnknownFlagAtAnyPlace) {
  EXPECT_EQ(parse({"--bogus"}).usage_error, "flag provided but not defined: -bogus");
  EXPECT_EQ(parse({"frobnicate", "--x"}).usage_error, "flag provided but not defined: -x");
  EXPECT_EQ(parse({"--bogus"}).verb, nullptr);
  const CommandLine line = parse({"version", "--bogus=1"});
  EXPECT_EQ(line.kind, Kind::kUsageError);
  EXPECT_EQ(line.usage_error, "flag provided but not defined: -bogus");
  EXPECT_NE(line.verb, nullptr);
}

TEST(CommandLine, TakesFlagsInEveryForm) {
  for (const std::vector<std::string_view>& args : std::vector<std::vector<std::string_view>>{
           {"provision", "--provision-config", "a.json"},
           {"provision", "--provision-config=a.json"},
           {"provision", "-provision-config", "a.json"},
           {"provision", "-provision-config=a.json"},
           {"provision", "extra", "--provision-config", "a.json", "words"},
           {"--", "provision", "--provision-config", "a.json"},
           {"provision", "--provision-config", "b.json", "--provision-config", "a.json"}}) {
    const CommandLine line = parse(args);
    EXPECT_EQ(line.kind, Kind::kVerb);
    EXPECT_EQ(line.verb->name, "provision");
    EXPECT_EQ(line.flags.text("provision-config"), "a.json");
    EXPECT_FALSE(line.flags.on("dry-run"));
  }
}

TEST(CommandLine, ReadsSwitches) {
  EXPECT_TRUE(parse({"provision", "--dry-run"}).flags.on("dry-run"));
  EXPECT_TRUE(parse({"provision", "-dry-run=T"}).flags.on("dry-run"));
  EXPECT_FALSE(parse({"provision", "--dry-run=false"}).flags.on("dry-run"));
  EXPECT_FALSE(parse({"provision", "--dry-run", "--dry-run=0"}).flags.on("dry-run"));
  EXPECT_EQ(parse({"provision", "--dry-run=maybe"}).usage_error,
            R"(invalid value "maybe" for flag -dry-run: parse error)");
}

TEST(CommandLine, WantsTheValueOfAFlag) {
  EXPECT_EQ(parse({"provision", "--provision-config"}).usage_error, "flag needs an argument: --provision-config");
  EXPECT_EQ(parse({"provision", "--provision-config="}).flags.text("provision-config"), "");
  EXPECT_EQ(parse({"provision", "--pace=wild"}).usage_error,
            R"(invalid value "wild" for flag -pace: must be fast or slow)");
  EXPECT_EQ(parse({"provision", "--pace=slow"}).flags.text("pace"), "slow");
}

TEST(CommandLine, StopsReadingFlagsAtTwoDashes) {
  const CommandLine line = parse({"provision", "a", "--", "--dry-run"});
  EXPECT_FALSE(line.flags.on("dry-run"));
  EXPECT_EQ(line.words, (std::vector<std::string>{"a", "--dry-run"}));
}

TEST(CommandLine, FindsHelpAndVersion) {
  for (const std::string_view ask : {"--help", "-h", "help", "h", "-help"}) {
    EXPECT_EQ(parse({ask}).kind, Kind::kHelp) << ask;
    EXPECT_EQ(parse({ask}).verb, nullptr) << ask;
  }
  for (const std::string_view ask : {"--version", "-v"}) EXPECT_EQ(parse({ask}).kind, Kind::kVersion) << ask;
  EXPECT_EQ(parse({"help", "provision"}).verb->name, "provision");
  EXPECT_FALSE(parse({"help", "provision"}).asked_by_flag);
  EXPECT_TRUE(parse({"provision", "--help"}).asked_by_flag);
  EXPECT_EQ(parse({"provision", "--help"}).kind, Kind::kHelp);
  EXPECT_EQ(parse({"help", "nonexist"}).kind, Kind::kNoHelp);
}

TEST(Help, NamesEveryVerbAndFlag) {
  const std::string program = program_help(kVerbs, "1.2.3");
  for (const char* part : {"provision", "version", "1.2.3", "--help"})
    EXPECT_NE(program.find(part), std::string::npos) << part;
  EXPECT_NE(verb_help(kVerbs[0], true).find("USAGE:\n   aks-node-controller provision [options]\n"), std::string::npos);
  EXPECT_NE(verb_help(kVerbs[0], false).find("USAGE:\n   aks-node-controller provision\n"), std::string::npos);
  for (const Flag& flag : kProvisionFlags)
    EXPECT_NE(verb_help(kVerbs[0], true).find("--" + std::string(flag.name)), std::string::npos);
}

}  // namespace
}  // namespace sunup::controller
