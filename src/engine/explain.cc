#include "engine/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sunup::engine {

void Explanations::on(const Event& event) {
  std::string reason;
  switch (event.kind) {
    case EventKind::kStepReady:
      reason = event.text;
      break;
    case EventKind::kStepStarted:
      if (event.attempt == 1) reason = fmt::format("ran: {}", event.text);
      break;
    case EventKind::kStepSkipped:
      reason = fmt::format("skipped: {}", event.text);
      break;
    case EventKind::kStepDropped:
      reason = fmt::format("not finished: {}", event.text);
      break;
    case EventKind::kStepRetry:
      reason = fmt::format("attempt {} failed ({}), {}", event.attempt, event.error->what, event.text);
      break;
    case EventKind::kStepEnded:
      if (event.error != nullptr) reason = fmt::format("failed: {}", event.error->what);
      break;
    default:
      break;
  }
  if (reason.empty() || event.step.empty()) return;
  auto found = reasons_.find(event.step);
  if (found == reasons_.end()) {
    order_.emplace_back(event.step);
    found = reasons_.emplace(event.step, std::vector<std::string>()).first;
  }
  found->second.push_back(std::move(reason));
}

const std::vector<std::string>& Explanations::of(const std::string& step) const {
  static const std::vector<std::string> kNone;
  const auto found = reasons_.find(step);
  return found == reasons_.end() ? kNone : found->second;
}

std::string Explanations::print() const {
  std::string text;
  for (const std::string& step : order_) text += fmt::format("{}: {}\n", step, fmt::join(of(step), "; "));
  return text;
}

}  // namespace sunup::engine
