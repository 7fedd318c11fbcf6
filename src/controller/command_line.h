// The command line of aks-node-controller, compatible with the original: `--flag value`, `--flag=value`, one dash or
// two, flags before or after other words; extra words are ignored, and the last of a repeated flag counts. The verbs
// and their flags are a table in apps/aks-node-controller.
//
//   CommandLine line = parse_command_line({"provision", "-dry-run", "--provision-config=a.json"}, verbs);
//   line.verb->name == "provision"; line.flags.on("dry-run"); line.flags.text("provision-config") == "a.json"
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sunup::controller {

struct Flag {
  std::string_view name;
  std::string_view value;  // the name of its value in the help text ("FILE"); empty: a switch
  std::string_view help;
  // For a flag with a value: returns nullopt, or an error text for this value ("must be auto, native or scripts").
  std::optional<std::string> (*check)(std::string_view value) = nullptr;
  bool repeats = false;  // every value counts: they are joined by commas
};

struct VerbSyntax {
  std::string_view name;
  std::string_view summary;
  std::string_view example;
  std::span<const Flag> flags;
  std::string_view notes = {};  // notes for its help text: what a user must know before running it
};

class Flags {
 public:
  std::string text(std::string_view name) const;  // empty if not given
  bool on(std::string_view name) const;

 private:
  friend class CommandLineParser;
  std::map<std::string, std::string, std::less<>> values_;
};

struct CommandLine {
  enum class Kind {
    kNothing,     // no verb, or an unknown one: exit 1
    kVerb,        // run it
    kHelp,        // of `verb`, or of the program; exit 0
    kNoHelp,      // `help` for something unknown: exit 3
    kVersion,     // --version
    kUsageError,  // print it; with the program's help if there is no verb
  };
  Kind kind = Kind::kNothing;
  const VerbSyntax* verb = nullptr;
  std::string unknown_verb;    // the unknown verb; empty if none was given
  std::string near_verb;       // the verb that was probably meant, if any
  bool asked_by_flag = false;  // `provision --help`, not `help provision`
  Flags flags;
  std::vector<std::string> words;  // the words that are neither verb nor flag
  std::string usage_error;         // "flag provided but not defined: -bogus"
};

CommandLine parse_command_line(std::span<const std::string_view> args, std::span<const VerbSyntax> verbs);

std::string program_help(std::span<const VerbSyntax> verbs, std::string_view version);
std::string verb_help(const VerbSyntax& verb, bool asked_by_flag);

}  // namespace sunup::controller
