#include "controller/config_mistakes.h"

#include "contract/check.h"

namespace sunup::controller {

std::vector<std::string> config_mistakes(Node& node, const contract::Configuration& config) {
  std::vector<std::string> mistakes;
  const std::time_t now = node.now() / 1'000'000'000;
  for (const contract::Finding& finding : contract::check(config, {}, {.now = now}))
    if (finding.severity == contract::Severity::kError)
      mistakes.push_back(node.redactor.redact(finding.path + ": " + finding.message));
  return mistakes;
}

std::string hint_with(std::string hint, const std::vector<std::string>& mistakes) {
  constexpr size_t kShown = 3;
  if (mistakes.empty()) return hint;
  if (!hint.empty()) hint += ". ";
  hint += "The config has mistakes:";
  for (size_t i = 0; i < mistakes.size() && i < kShown; ++i) hint += (i == 0 ? " " : "; ") + mistakes[i];
  if (mistakes.size() > kShown)
    hint += "; and " + std::to_string(mistakes.size() - kShown) + " more (sunup config check)";
  return hint;
}

}  // namespace sunup::controller
