#include "engine/observer.h"

namespace sunup::engine {

std::string_view to_string(EventKind kind) {
  switch (kind) {
    case EventKind::kRunStarted:
      return "run started";
    case EventKind::kJournal:
      return "journal";
    case EventKind::kStepReady:
      return "ready";
    case EventKind::kStepStarted:
      return "started";
    case EventKind::kStepNote:
      return "note";
    case EventKind::kStepLeftOut:
      return "left out";
    case EventKind::kStepRetry:
      return "retry";
    case EventKind::kStepEnded:
      return "ended";
    case EventKind::kStepSkipped:
      return "skipped";
    case EventKind::kStepDropped:
      return "dropped";
    case EventKind::kMilestone:
      return "milestone";
    case EventKind::kStopping:
      return "stopping";
    case EventKind::kBarrier:
      return "barrier";
    case EventKind::kRunEnded:
      return "run ended";
  }
  return "";
}

void Observers::tell(EventKind kind, std::string_view text, const Error* error) const {
  tell_all({.kind = kind, .at = loop_.now(), .step = {}, .text = text, .attempt = 0, .error = error});
}

void Observers::tell_of(std::string_view step, EventKind kind, std::string_view text, int attempt,
                        const Error* error) const {
  tell_all({.kind = kind, .at = loop_.now(), .step = step, .text = text, .attempt = attempt, .error = error});
}

void Observers::tell_all(const Event& event) const {
  for (Observer* observer : observers_) observer->on(event);
}

}  // namespace sunup::engine
