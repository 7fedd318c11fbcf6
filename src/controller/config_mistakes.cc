#include "controller/config_mistakes.h"

#include <fmt/format.h>

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

std::string hint_with(std::string hint, const std::vector<std::string>& mistakes, std::string_view remedy) {
  const auto say = [&hint](std::string_view sentence) {
    if (!hint.empty()) hint += hint.ends_with('.') ? " " : ". ";
    hint += sentence;
  };
  const bool own = !hint.empty();
  if (mistakes.size() == 1) say("The config has a mistake: " + mistakes[0]);
  if (mistakes.size() > 1)
    say(fmt::format("The config has {} mistakes (sunup config check), the first: {}", mistakes.size(), mistakes[0]));
  if (!own && !remedy.empty()) say(remedy);
  return hint;
}

}  // namespace sunup::controller
