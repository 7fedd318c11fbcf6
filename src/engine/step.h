// A step: one thing that provisioning does, declared as data with a body that reads like the script it replaces.
//
//   Step{.name = "containerd.start",
//        .needs = {"containerd.config", "cni.plugins"},
//        .after = {"proxy.environment"},
//        .provides = {"containerd.running"},
//        .units = {"containerd.service"},
//        .deadline = 60s,
//        .exit_code = 4,
//        .run = [](Context& c) -> Task<Result<void>> {
//          co_return co_await c.host.units.start("containerd.service");
//        }};
//
// Order is never written down: it follows from what steps need and provide (graph.h). A body may be run again after a
// crash, so it must lead to the same state however often and wherever it was cut off; atomic writes do that by
// themselves.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/host.h"

namespace sunup::engine {

using host::Duration;
using host::Task;
using host::TimePoint;

// kDeferred: nobody waits for it. It starts after the milestone, with low priority, and its failure is never fatal.
enum class Phase { kNormal, kDeferred };

// How long a finished step stays finished. kThisRun: what it is about can end at any time, so every run sees to it
// again. kThisBoot: what it did (started a unit, set a sysctl) is gone after a reboot. kOnDisk: it only made files,
// which last once they have been synced.
enum class Lasts { kThisRun, kThisBoot, kOnDisk };

struct Retry {
  int attempts = 1;                          // in all
  Duration pause = std::chrono::seconds(1);  // before the second; doubles each time, with jitter
  Duration longest_pause = std::chrono::seconds(30);
  Duration each = Duration::zero();              // limit of one attempt; zero: what the deadline leaves
  Duration budget = Duration::zero();            // no attempt starts later than this; zero: the deadline
  std::function<bool(const Error&)> worth = {};  // is this error worth another attempt? empty: any
};

struct FileEffect {
  std::string path;
  mode_t mode = 0644;      // 0: it is removed; 0777: a link
  bool temporary = false;  // the step takes it away again, whatever comes of it
  bool shared = false;     // other programs write it, too: a change of it does not undo the step (but see Step::undone)
};

class Context;

struct Step {
  std::string name = {};                   // "containerd.start"; also something it provides
  std::string purpose = {};                // one line for people
  std::vector<std::string> needs = {};     // must have been provided; who provides it comes first
  std::vector<std::string> after = {};     // comes first if anybody provides it, and may have failed
  std::vector<std::string> provides = {};  // each by one step only
  std::vector<FileEffect> files = {};      // what it writes,
  std::vector<std::string> units = {};     // what it starts, stops or enables,
  std::vector<std::string> touches = {};   // and whatever else no other step may touch at the same time
  Phase phase = Phase::kNormal;
  Lasts lasts = Lasts::kThisBoot;
  Duration deadline = std::chrono::seconds(60);  // for all attempts together
  Retry retry = {};
  bool fatal = true;        // does its failure end the run?
  int exit_code = 0;        // of the provisioning contract, when it fails and the error says no other
  std::string inputs = {};  // everything its effect depends on; when this changes, it runs again
  // A part of its effect that is missing before the run, for people; empty: none is known to be. The step runs then,
  // whatever an earlier run has recorded. What is missing of its files, unless they are shared, is found without it.
  std::string undone = {};
  std::function<Task<Result<void>>(Context&)> run = {};
  // After the step was cancelled with the run: ends what goes on without us, like a job that it has queued. The result
  // is published after it. Not for deferred steps.
  std::function<Task<Result<void>>(Context&)> take_back = {};
};

// What a body works with.
class Context {
 public:
  using Say = std::function<void(std::string)>;
  Context(host::Host& h, const Step& s, std::map<std::string, std::string>& facts, Say note, Say leave_out = {})
      : host(h), step(s), facts_(facts), note_(std::move(note)), leave_out_(std::move(leave_out)) {}
  // The same step on another machine: for a body that is to leave this one alone.
  Context on(host::Host& other) const {
    Context same(other, step, facts_, note_, leave_out_);
    same.left_alone_ = true;
    same.renews_ = renews_;
    return same;
  }

  host::Host& host;
  const Step& step;

  // What a step learned, for those that need it: `c.give("imds.metadata", body)`. Kept in the journal, so that a run
  // that resumes still has it; no secrets. The name must be one the step provides.
  Result<void> give(std::string_view name, std::string value);
  // The name must be one the step needs (or comes after, then it may be missing).
  Result<std::string> fact(std::string_view name) const;

  // Adds a file to those that the step declares, for a body that learns the names of its files while it runs.
  void wrote(std::string path) { wrote_.insert(std::move(path)); }
  const std::set<std::string>& written() const { return wrote_; }

  // An earlier run of this boot may have done this step, or a part of it, and from other files than there are now: a
  // unit that the step starts may be running with what was there before.
  bool renews() const { return renews_; }
  void set_renews(bool renews) { renews_ = renews; }

  void note(std::string text) const { note_(std::move(text)); }  // to the observers
  // The same of something done to the machine: not said where that is left alone.
  void did(std::string text) const {
    if (!left_alone_) note_(std::move(text));
  }

  // To the observers: something the step is there for was left undone on purpose (--root), which is no failure.
  Result<void> leave_out(std::string what) const {
    (leave_out_ ? leave_out_ : note_)(std::move(what));
    return {};
  }

  const std::map<std::string, std::string>& given() const { return given_; }

 private:
  std::map<std::string, std::string>& facts_;
  std::map<std::string, std::string> given_;
  Say note_;
  Say leave_out_;
  std::set<std::string> wrote_;
  bool left_alone_ = false;
  bool renews_ = false;
};

}  // namespace sunup::engine
