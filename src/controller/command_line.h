// The command line of aks-node-controller, with the manners of the original: `--flag value`, `--flag=value`, one dash
// or two, flags before or after other words, extra words ignored, the last of a repeated flag counts. What a verb is,
// and what its flags are, is a table in apps/aks-node-controller.
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
  std::string_view value;  // what help calls its value ("FILE"); empty: a switch
  std::string_view help;
  // For a flag with a value: nullptr, or says what is wrong with this one ("must be auto, native or scripts").
  std::optional<std::string> (*check)(std::string_view value) = nullptr;
  bool repeats = false;  // every value counts: they are joined by commas
};

struct VerbSyntax {
  std::string_view name;
  std::string_view summary;
  std::string_view example;
  std::span<const Flag> flags;
  std::string_view notes = {};  // what a person must know before running it, for its help
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
    kUsageError,  // say it; with the program's help if no verb was reached
  };
  Kind kind = Kind::kNothing;
  const VerbSyntax* verb = nullptr;
  std::string unknown_verb;    // the word that is none; empty: none was given
  std::string near_verb;       // the one that was probably meant, if any
  bool asked_by_flag = false;  // `provision --help` and not `help provision`
  Flags flags;
  std::vector<std::string> words;  // what was neither verb nor flag
  std::string usage_error;         // "flag provided but not defined: -bogus"
};

CommandLine parse_command_line(std::span<const std::string_view> args, std::span<const VerbSyntax> verbs);

std::string program_help(std::span<const VerbSyntax> verbs, std::string_view version);
std::string verb_help(const VerbSyntax& verb, bool asked_by_flag);

}  // namespace sunup::controller
