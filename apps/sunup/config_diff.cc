// sunup config diff: the differences between two configs, and their effect on the node.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "base/utf8.h"
#include "load_config.h"
#include "render/node/config_changes.h"
#include "verbs.h"

namespace sunup {
namespace {

using contract::Difference;

struct Options {
  std::string left;
  std::string right;
  std::string format = "text";
};

using render::node::ConfigChange;
using Input = render::node::ConfigToCompare;

// No value if the config is not usable; the error has been printed.
std::optional<Input> read(const std::string& file) {
  render::NbcConfig command;
  auto loaded = read_config_or_command(file, command);
  if (loaded) return Input{*std::move(loaded), std::move(command.sent)};
  fmt::print(stderr, "sunup: {}\n", loaded.error().what);
  return std::nullopt;
}

std::string excerpt(const std::optional<std::string>& value) {
  constexpr size_t kLongest = 160;
  if (!value) return "unset";
  if (value->size() <= kLongest) return *value;
  return fmt::format("{}... ({} bytes)", utf8_start(*value, kLongest), value->size());
}

std::string counted(size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void print_text(const std::vector<ConfigChange>& changes) {
  std::set<std::string> all_variables;
  std::set<std::string> all_files;
  for (const auto& change : changes) {
    const Difference& difference = change.difference;
    const std::vector<std::string>& files = change.files;
    fmt::print("{}\n", difference.path);
    if (difference.left == difference.right) {
      fmt::print("  ({}, differs)\n", difference.doc ? "secret" : "unknown");
    } else {
      fmt::print("  - {}\n  + {}\n", excerpt(difference.left), excerpt(difference.right));
    }
    all_variables.insert(change.variables.begin(), change.variables.end());
    all_files.insert(files.begin(), files.end());
    if (!change.variables.empty()) fmt::print("  changes variable {}\n", fmt::join(change.variables, ", "));
    if (!files.empty()) fmt::print("  changes file {}\n", fmt::join(files, ", "));
    if (!difference.doc) {
      fmt::print("  unknown field: only a newer version can tell what it changes\n");
    } else if (change.variables.empty() && files.empty()) {
      fmt::print("  changes nothing on the node\n");
    }
  }
  if (changes.empty()) {
    fmt::print("the configs are equal\n");
  } else {
    fmt::print("{} differ{}: {} and {} of the node change\n", counted(changes.size(), "field"),
               changes.size() == 1 ? "s" : "", counted(all_variables.size(), "variable"),
               counted(all_files.size(), "file"));
  }
}

int run(const Options& options) {
  const auto left = read(options.left);
  const auto right = read(options.right);
  if (!left || !right) return 2;
  const auto found = *render::node::config_changes(*left, *right);
  if (options.format == "json") {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const ConfigChange& change : found) all.push_back(render::node::change_json(change));
    fmt::print("{}\n", all.dump(2));
  } else {
    print_text(found);
  }
  return found.empty() ? 0 : 1;
}

}  // namespace

void add_config_diff(CLI::App& config, int& exit_code) {
  auto* verb = add_verb(config, "diff", "show what differs between two configs, and what that changes on the node");
  const auto options = std::make_shared<Options>();
  verb->add_option("A", options->left, "a config, or a command (see from-nbc); - is standard input")->required();
  verb->add_option("B", options->right, "another one")->required();
  verb->add_option("--format", options->format, "text or json")->check(one_of({"text", "json"}));
  verb->footer(
      "Exit code: 0 equal, 1 different, 2 one cannot be read.\nExample: sunup config diff before.json after.json");
  verb->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace sunup
