// The events of a run. The engine prints nothing: log, guest-agent events and trace are observers.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "host/loop.h"

namespace sunup::engine {

enum class EventKind {
  kRunStarted,   // text: the number of steps
  kJournal,      // there is a problem with the journal; the run continues
  kStepReady,    // text: why it runs now (the last thing that it waited for)
  kStepStarted,  // attempt; text: why it has to run
  kStepNote,     // text: a message of its body
  kStepLeftOut,  // text: what its body left undone on purpose
  kStepRetry,    // the attempt that failed; error; text: the pause before the next one
  kStepEnded,    // attempt; error if it failed
  kStepSkipped,  // text: why (it was done earlier)
  kStepDropped,  // text: why it will not run (a step that it needs failed) or that it was cancelled
  kMilestone,    // text: its name
  kStopping,     // text: why the run is stopped
  kBarrier,      // everything written so far is durable
  kRunEnded,     // error if it failed
};
std::string_view to_string(EventKind kind);

struct Event {
  EventKind kind;
  host::TimePoint at;
  std::string_view step = {};
  std::string_view text = {};
  int attempt = 0;
  const Error* error = nullptr;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on(const Event& event) = 0;
};

// All observers of a run. Passes each event to each of them, with the time.
class Observers {
 public:
  Observers(host::Loop& loop, std::vector<Observer*> observers) : loop_(loop), observers_(std::move(observers)) {}
  void tell(EventKind kind, std::string_view text = {}, const Error* error = nullptr) const;
  void tell_of(std::string_view step, EventKind kind, std::string_view text = {}, int attempt = 0,
               const Error* error = nullptr) const;

 private:
  void tell_all(const Event& event) const;

  host::Loop& loop_;
  std::vector<Observer*> observers_;
};

}  // namespace sunup::engine
