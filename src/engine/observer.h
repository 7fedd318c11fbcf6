// What happens in a run, as events. The engine prints nothing: log, guest-agent events and trace are observers.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "host/loop.h"

namespace sunup::engine {

enum class EventKind {
  kRunStarted,   // text: what the journal had to say
  kJournal,      // something is wrong with the journal; the run goes on
  kStepReady,    // text: why it runs now (what it waited for last)
  kStepStarted,  // attempt; text: why it runs at all
  kStepNote,     // text: whatever its body had to say
  kStepLeftOut,  // text: what its body left undone on purpose
  kStepRetry,    // attempt that failed; error; text: how long until the next
  kStepEnded,    // attempt; error if it failed
  kStepSkipped,  // text: why (done earlier)
  kStepDropped,  // text: why it will not run (a need failed) or was cancelled
  kMilestone,    // text: its name
  kStopping,     // text: why the run is cut short
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

// All observers of a run: tells each of them, with the time.
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

// One line an event, times relative to the first: what `./dev sim --seed` prints and what is compared byte for byte.
class TextTrace : public Observer {
 public:
  void on(const Event& event) override;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool any_ = false;
  host::TimePoint start_{};
};

}  // namespace sunup::engine
