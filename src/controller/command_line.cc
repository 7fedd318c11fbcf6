#include "controller/command_line.h"

#include <algorithm>

#include "base/nearest.h"

namespace sunup::controller {
namespace {

constexpr std::string_view kProgram = "aks-node-controller";

// The words that are accepted as a truth value after `--switch=`.
std::optional<bool> truth(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"})
    if (text == yes) return true;
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"})
    if (text == no) return false;
  return std::nullopt;
}

template <class Named>
const Named* find_named(std::span<const Named> all, std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Named& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

struct Word {
  bool is_flag = false;
  std::string_view name;                  // of a flag
  std::optional<std::string_view> value;  // after '='
};

Word read_word(std::string_view arg) {
  if (arg.size() < 2 || arg[0] != '-') return {};
  Word word{.is_flag = true, .name = arg.substr(arg[1] == '-' ? 2 : 1), .value = {}};
  if (const size_t equals = word.name.find('='); equals != std::string_view::npos) {
    word.value = word.name.substr(equals + 1);
    word.name = word.name.substr(0, equals);
  }
  return word;
}

bool asks_for_help(std::string_view name) {
  return name == "help" || name == "h";
}

template <class Named>
std::string nearest_named(std::span<const Named> all, std::string_view name) {
  std::vector<std::string_view> names;
  for (const Named& each : all) names.push_back(each.name);
  return nearest(name, names).value_or("");
}

std::string undefined(std::string_view name, std::span<const Flag> flags = {}) {
  const std::string near = nearest_named(flags, name);
  return "flag provided but not defined: -" + std::string(name) +
         (near.empty() ? "" : " (did you mean -" + near + "?)");
}

std::string invalid(std::string_view value, std::string_view flag, std::string_view why) {
  return "invalid value \"" + std::string(value) + "\" for flag -" + std::string(flag) + ": " + std::string(why);
}

}  // namespace

std::string Flags::text(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string() : found->second;
}

bool Flags::on(std::string_view name) const {
  return text(name) == "true";
}

class CommandLineParser {
 public:
  CommandLineParser(std::span<const std::string_view> args, std::span<const VerbSyntax> verbs)
      : args_(args), verbs_(verbs) {}

  CommandLine parse() {
    program_part();
    if (line_.verb != nullptr && line_.kind == CommandLine::Kind::kVerb) verb_part();
    return std::move(line_);
  }

 private:
  using Kind = CommandLine::Kind;

  void usage_error(std::string text) {
    line_.kind = Kind::kUsageError;
    line_.usage_error = std::move(text);
  }

  // Parses up to and including the verb. An unknown first word does not end this part: a wrong flag after it is still
  // reported.
  void program_part() {
    bool only_words = false;
    bool unknown_verb = false;
    while (at_ < args_.size()) {
      const std::string_view arg = args_[at_++];
      if (arg == "--" && !only_words) {
        only_words = true;
        continue;
      }
      if (const Word word = read_word(arg); word.is_flag && !only_words) {
        if (asks_for_help(word.name)) {
          line_.kind = Kind::kHelp;
          line_.asked_by_flag = true;
        } else if (word.name == "version" || word.name == "v") {
          if (line_.kind != Kind::kHelp) line_.kind = Kind::kVersion;
        } else {
          return usage_error(undefined(word.name));
        }
        continue;
      }
      if (unknown_verb || line_.kind != Kind::kNothing) continue;
      if (asks_for_help(arg)) return help_part();
      line_.verb = find_named(verbs_, arg);
      if (line_.verb != nullptr) {
        line_.kind = Kind::kVerb;
        return;
      }
      unknown_verb = true;
      line_.unknown_verb = arg;
      line_.near_verb = nearest_named(verbs_, arg);
    }
  }

  void help_part() {
    line_.kind = Kind::kHelp;
    if (at_ == args_.size() || read_word(args_[at_]).is_flag) return;
    line_.verb = find_named(verbs_, args_[at_]);
    if (line_.verb != nullptr) return;
    line_.kind = Kind::kNoHelp;
    line_.unknown_verb = args_[at_];
    line_.near_verb = nearest_named(verbs_, args_[at_]);
  }

  void verb_part() {
    while (at_ < args_.size()) {
      const std::string_view arg = args_[at_++];
      if (arg == "--") {
        line_.words.insert(line_.words.end(), args_.begin() + static_cast<ptrdiff_t>(at_), args_.end());
        return;
      }
      const Word word = read_word(arg);
      if (!word.is_flag) {
        line_.words.emplace_back(arg);
      } else if (asks_for_help(word.name)) {
        line_.kind = Kind::kHelp;
        line_.asked_by_flag = true;
      } else if (const Flag* flag = find_named(line_.verb->flags, word.name); flag == nullptr) {
        return usage_error(undefined(word.name, line_.verb->flags));
      } else if (!take(*flag, word)) {
        return;
      }
    }
  }

  bool take(const Flag& flag, const Word& word) {
    std::string& stored = line_.flags.values_[std::string(flag.name)];
    if (flag.value.empty()) {
      const std::optional<bool> on = word.value ? truth(*word.value) : true;
      if (!on) return usage_error(invalid(*word.value, flag.name, "parse error")), false;
      stored = *on ? "true" : "false";
      return true;
    }
    if (!word.value && at_ == args_.size())
      return usage_error("flag needs an argument: " + std::string(args_[at_ - 1])), false;
    const std::string value(word.value ? *word.value : args_[at_++]);
    if (flag.check != nullptr)
      if (const auto wrong = flag.check(value)) return usage_error(invalid(value, flag.name, *wrong)), false;
    stored = flag.repeats && !stored.empty() ? stored + "," + value : value;
    return true;
  }

  std::span<const std::string_view> args_;
  std::span<const VerbSyntax> verbs_;
  size_t at_ = 0;
  CommandLine line_;
};

CommandLine parse_command_line(std::span<const std::string_view> args, std::span<const VerbSyntax> verbs) {
  return CommandLineParser(args, verbs).parse();
}

namespace {

void append_row(std::string& out, std::string_view left, std::string_view right, size_t width) {
  out.append("   ").append(left).append(width - left.size() + 2, ' ').append(right).append("\n");
}

std::string flag_text(const Flag& flag) {
  std::string text = "--" + std::string(flag.name);
  if (!flag.value.empty()) text.append(" ").append(flag.value);
  return text;
}

}  // namespace

std::string program_help(std::span<const VerbSyntax> verbs, std::string_view version) {
  std::string out;
  out.append("NAME:\n   ").append(kProgram).append(" - provisions this node, from a config on disk to NodeReady\n\n");
  out.append("USAGE:\n   ").append(kProgram).append(" [--help | --version] COMMAND [options]\n\n");
  out.append("VERSION:\n   ").append(version).append("\n\nCOMMANDS:\n");
  size_t width = std::string_view("help [COMMAND]").size();
  for (const VerbSyntax& verb : verbs) width = std::max(width, verb.name.size());
  for (const VerbSyntax& verb : verbs) append_row(out, verb.name, verb.summary, width);
  append_row(out, "help [COMMAND]", "show this list, or the options of a command", width);
  out.append("\nOPTIONS:\n");
  append_row(out, "--help, -h", "show help", width);
  append_row(out, "--version, -v", "print the version", width);
  out.append("\nENVIRONMENT:\n");
  append_row(out, "SUNUP_ROOT", "a directory that all commands treat as / (--root of a command has precedence)", width);
  return out;
}

std::string verb_help(const VerbSyntax& verb, bool asked_by_flag) {
  std::string out;
  out.append("NAME:\n   ").append(kProgram).append(" ").append(verb.name).append(" - ").append(verb.summary);
  out.append("\n\nUSAGE:\n   ").append(kProgram).append(" ").append(verb.name);
  out.append(asked_by_flag ? " [options]\n" : "\n");
  out.append("\nEXAMPLE:\n   ").append(verb.example).append("\n\nOPTIONS:\n");
  size_t width = std::string_view("--help, -h").size();
  for (const Flag& flag : verb.flags) width = std::max(width, flag_text(flag).size());
  for (const Flag& flag : verb.flags) append_row(out, flag_text(flag), flag.help, width);
  append_row(out, "--help, -h", "show this", width);
  if (!verb.notes.empty()) out.append("\nNOTES:\n   ").append(verb.notes).append("\n");
  return out;
}

}  // namespace sunup::controller
