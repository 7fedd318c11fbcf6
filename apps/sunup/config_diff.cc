// sunup config diff: what differs between two configs, and what that changes on the node.
#include "contract/diff.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "config.h"
#include "load_config.h"

namespace sunup {
namespace {

using contract::Difference;

struct Options {
  std::string left;
  std::string right;
  std::string format = "text";
};

// Nothing: the config is not usable, which has been said.
std::optional<contract::Configuration> read(const std::string& file) {
  auto loaded = read_config(file);
  if (!loaded) {
    fmt::print(stderr, "sunup: {}\n", loaded.error().what);
    return std::nullopt;
  }
  if (!loaded->findings.empty())
    fmt::print(stderr, "sunup: {}: {} thing(s) in it are unknown and not compared ('sunup config check' lists them)\n",
               file, loaded->findings.size());
  return std::move(loaded->config);
}

std::string excerpt(const std::optional<std::string>& value) {
  constexpr size_t kLongest = 160;
  if (!value) return "unset";
  if (value->size() <= kLongest) return *value;
  size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>((*value)[end]) & 0xC0) == 0x80) --end;  // not within a character
  return fmt::format("{}... ({} bytes)", value->substr(0, end), value->size());
}

void print_text(const std::vector<Difference>& differences) {
  std::set<std::string> variables;
  std::set<std::string> files;
  for (const Difference& difference : differences) {
    fmt::print("{}\n", difference.path);
    if (difference.left == difference.right) {
      fmt::print("  (secret, differs)\n");
    } else {
      fmt::print("  - {}\n  + {}\n", excerpt(difference.left), excerpt(difference.right));
    }
    if (!difference.doc) continue;
    variables.insert(difference.doc->variables.begin(), difference.doc->variables.end());
    files.insert(difference.doc->files.begin(), difference.doc->files.end());
    if (!difference.doc->variables.empty())
      fmt::print("  changes variable {}\n", fmt::join(difference.doc->variables, ", "));
    if (!difference.doc->files.empty()) fmt::print("  changes file {}\n", fmt::join(difference.doc->files, ", "));
    if (difference.doc->variables.empty() && difference.doc->files.empty())
      fmt::print("  changes nothing on the node\n");
  }
  if (differences.empty()) {
    fmt::print("the configs are the same\n");
  } else {
    fmt::print("{} field{} differ{}: {} variable{} and {} file{} of the node change\n", differences.size(),
               differences.size() == 1 ? "" : "s", differences.size() == 1 ? "s" : "", variables.size(),
               variables.size() == 1 ? "" : "s", files.size(), files.size() == 1 ? "" : "s");
  }
}

nlohmann::ordered_json as_json(const Difference& difference) {
  const auto value = [](const std::optional<std::string>& text) -> nlohmann::ordered_json {
    return text ? nlohmann::ordered_json(*text) : nlohmann::ordered_json(nullptr);
  };
  nlohmann::ordered_json out = {{"path", difference.path},
                                {"left", value(difference.left)},
                                {"right", value(difference.right)},
                                {"secret", difference.doc && difference.doc->field->secret}};
  out["variables"] = difference.doc ? difference.doc->variables : std::vector<std::string>();
  out["files"] = difference.doc ? difference.doc->files : std::vector<std::string>();
  return out;
}

int run(const Options& options) {
  const auto left = read(options.left);
  const auto right = read(options.right);
  if (!left || !right) return 2;
  const auto differences = contract::diff(*left, *right);
  if (options.format == "json") {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const Difference& difference : differences) all.push_back(as_json(difference));
    fmt::print("{}\n", all.dump(2));
  } else {
    print_text(differences);
  }
  return differences.empty() ? 0 : 1;
}

}  // namespace

void add_config_diff(CLI::App& config, int& exit_code) {
  auto* verb = config.add_subcommand("diff", "what differs between two configs, and what that changes on the node");
  const auto options = std::make_shared<Options>();
  verb->add_option("A", options->left, "a config; - is standard input")->required();
  verb->add_option("B", options->right, "another one")->required();
  verb->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  verb->footer(
      "Exit code: 0 the same, 1 they differ, 2 one cannot be read.\n"
      "Example: sunup config diff before.json after.json");
  verb->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace sunup
