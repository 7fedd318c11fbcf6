// sunup config diff: what differs between two configs, and what that changes on the node.
#include "contract/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "config.h"
#include "load_config.h"
#include "render/cse_env.h"
#include "render/node/files.h"
#include "render/node/refusals.h"

namespace sunup {
namespace {

using contract::Difference;

struct Options {
  std::string left;
  std::string right;
  std::string format = "text";
};

// A config, and the texts that a command brings with it.
struct Input {
  contract::Loaded loaded;
  render::SentTexts sent;
};

// Nothing: the config is not usable, which has been said.
std::optional<Input> read(const std::string& file) {
  render::NbcConfig command;
  auto loaded = read_config_or_command(file, command);
  if (loaded) return Input{*std::move(loaded), std::move(command.sent)};
  fmt::print(stderr, "sunup: {}\n", loaded.error().what);
  return std::nullopt;
}

// A difference, and what it changes: variables of the scripts' environment, and files.
struct Change {
  Difference difference;
  std::vector<std::string> variables;
  std::vector<std::string> files;
};

// What a config makes of a current image, by path: mode and content. A concern that it is refused for makes nothing.
using Tree = std::map<std::string, std::pair<unsigned, std::string>>;
Tree tree_of(const contract::Configuration& config, const render::SentTexts& sent) {
  render::node::NodeFacts facts = render::node::typical_node();
  facts.sent = sent;
  Tree tree;
  for (const render::node::Concern& concern : render::node::concerns())
    for (render::node::NodeFile& file : concern.files(config, facts).value_or({}))
      tree[file.path] = {file.mode, std::move(file.content)};
  return tree;
}

// Files that steps make of more than the config (programs, a swap file, accounts) are those that the field's page
// names; they change with the variables.
std::vector<std::string> changed_files(const Tree& left, const Tree& right, const Change& change) {
  std::set<std::string> paths;
  for (const std::string& path : change.difference.doc->files)
    if (!change.variables.empty() && !left.contains(path) && !right.contains(path)) paths.insert(path);
  for (const auto& [path, file] : left)
    if (const auto other = right.find(path); other == right.end() || other->second != file) paths.insert(path);
  for (const auto& [path, file] : right)
    if (!left.contains(path)) paths.insert(path);
  return {paths.begin(), paths.end()};
}

std::vector<std::string> changed_variables(const render::Environment& left, const render::Environment& right) {
  std::vector<std::string> names;
  for (const auto& [name, value] : left)
    if (const auto other = right.find(name); other == right.end() || other->second != value) names.push_back(name);
  for (const auto& [name, value] : right)
    if (!left.contains(name)) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

struct Rendered {
  render::Environment environment;
  Tree tree;
};

Rendered rendered(const contract::Configuration& config, const render::SentTexts& sent) {
  return {render::cse_environment(config, {}), tree_of(config, sent)};
}

void add_missing(std::vector<std::string>& names, const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

// What one difference does by itself: alone with A, and as the one that B lacks. A setting that needs another one
// (swap needs a size) shows only there, where the other one is.
std::vector<Change> changes(const Input& a, const Input& b) {
  const contract::Loaded& left = a.loaded;
  const contract::Loaded& right = b.loaded;
  const Rendered before = rendered(left.config, a.sent);
  const Rendered after = rendered(right.config, b.sent);
  std::vector<Change> out;
  for (Difference& difference : contract::diff(left, right)) {
    Change& change = out.emplace_back(Change{std::move(difference), {}, {}});
    if (change.difference.way.empty()) continue;
    const Rendered with = rendered(contract::taken_over(left.config, right.config, change.difference), a.sent);
    const Rendered without = rendered(contract::taken_over(right.config, left.config, change.difference), b.sent);
    change.variables = changed_variables(before.environment, with.environment);
    add_missing(change.variables, changed_variables(without.environment, after.environment));
    if (!change.difference.doc) continue;
    change.files = changed_files(before.tree, with.tree, change);
    add_missing(change.files, changed_files(without.tree, after.tree, change));
  }
  return out;
}

std::string excerpt(const std::optional<std::string>& value) {
  constexpr size_t kLongest = 160;
  if (!value) return "unset";
  if (value->size() <= kLongest) return *value;
  size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>((*value)[end]) & 0xC0) == 0x80) --end;  // not within a character
  return fmt::format("{}... ({} bytes)", value->substr(0, end), value->size());
}

std::string counted(size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void print_text(const std::vector<Change>& changes) {
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

nlohmann::ordered_json as_json(const Change& change) {
  const Difference& difference = change.difference;
  const auto value = [](const std::optional<std::string>& text) -> nlohmann::ordered_json {
    return text ? nlohmann::ordered_json(*text) : nlohmann::ordered_json(nullptr);
  };
  return {{"path", difference.path},
          {"left", value(difference.left)},
          {"right", value(difference.right)},
          {"secret", difference.doc && difference.doc->field->secret},
          {"known", difference.doc != nullptr},
          {"variables", change.variables},
          {"files", change.files}};
}

int run(const Options& options) {
  const auto left = read(options.left);
  const auto right = read(options.right);
  if (!left || !right) return 2;
  const auto found = changes(*left, *right);
  if (options.format == "json") {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const Change& change : found) all.push_back(as_json(change));
    fmt::print("{}\n", all.dump(2));
  } else {
    print_text(found);
  }
  return found.empty() ? 0 : 1;
}

}  // namespace

void add_config_diff(CLI::App& config, int& exit_code) {
  auto* verb =
      config.add_subcommand("diff", "show what differs between two configs, and what that changes on the node");
  const auto options = std::make_shared<Options>();
  verb->add_option("A", options->left, "a config, or a command (see from-nbc); - is standard input")->required();
  verb->add_option("B", options->right, "another one")->required();
  verb->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  verb->footer(
      "Exit code: 0 equal, 1 different, 2 one cannot be read.\nExample: sunup config diff before.json after.json");
  verb->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace sunup
