#include "render/node/config_changes.h"

#include <algorithm>
#include <map>
#include <set>

#include "render/cse_env.h"
#include "render/node/files.h"
#include "render/node/refusals.h"

namespace sunup::render::node {
namespace {

using contract::Difference;

// What a config renders on a current image, by path: mode and content. A concern whose rendering is refused adds
// nothing.
using Tree = std::map<std::string, std::pair<unsigned, std::string>>;
Tree tree_of(const contract::Configuration& config, const render::SentTexts& sent) {
  NodeFacts facts = typical_node();
  facts.sent = sent;
  Tree tree;
  for (const Concern& concern : concerns())
    for (NodeFile& file : concern.files(config, facts).value_or({}))
      tree[file.path] = {file.mode, std::move(file.content)};
  return tree;
}

// Some files depend on more than the config (programs, a swap file, accounts). The field's documentation lists them;
// they are reported if the variables change.
std::vector<std::string> changed_files(const Tree& left, const Tree& right, const ConfigChange& change) {
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

}  // namespace

// The effect of one difference by itself: applied alone to A, and removed alone from B. The effect of a setting that
// depends on another one (swap needs a size) is visible only where the other setting is present.
Result<std::vector<ConfigChange>> config_changes(const ConfigToCompare& a, const ConfigToCompare& b,
                                                 const Deadline& deadline) {
  const contract::Loaded& left = a.loaded;
  const contract::Loaded& right = b.loaded;
  const Rendered before = rendered(left.config, a.sent);
  const Rendered after = rendered(right.config, b.sent);
  std::vector<ConfigChange> out;
  for (Difference& difference : contract::diff(left, right)) {
    if (deadline.passed()) return Deadline::error();
    ConfigChange& change = out.emplace_back(ConfigChange{std::move(difference), {}, {}});
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

nlohmann::ordered_json change_json(const ConfigChange& change) {
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

}  // namespace sunup::render::node
