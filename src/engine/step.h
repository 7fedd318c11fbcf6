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
// Steps have no explicit order: it follows from what they need and provide (graph.h). A body may run again after a
// crash, so it must reach the same state however often and wherever it was interrupted. Atomic writes have this
// property.
#pragma once

#include <sys/types.h>

#include <chrono>
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

// kDeferred: nothing waits for it. It starts after the milestone, with low priority, and its failure is never fatal.
enum class Phase { kNormal, kDeferred };

// How long a finished step stays finished. kThisRun: its effect can end at any time, so every run repeats it.
// kThisBoot: its effect (a started unit, a sysctl) is lost at a reboot. kOnDisk: it only makes files, which last once
// they have been synced.
enum class Lasts { kThisRun, kThisBoot, kOnDisk };

struct Retry {
  int attempts = 1;                          // in all
  Duration pause = std::chrono::seconds(1);  // before the second; doubles each time, with jitter
  Duration longest_pause = std::chrono::seconds(30);
  bool from_start = false;             // pauses count from the start of an attempt: a long one has none after it
  Duration each = Duration::zero();    // limit of one attempt; zero: what remains until the deadline
  Duration budget = Duration::zero();  // no attempt starts later than this; zero: the deadline
  std::function<bool(const Error&)> worth = {};  // whether this error is worth another attempt; empty: always
};

struct FileEffect {
  std::string path;
  mode_t mode = 0644;      // 0: the file is removed; 0777: a link
  bool temporary = false;  // the step removes it again in all cases
  bool shared = false;     // other programs also write it: a change of it does not undo the step (but see Step::undone)
};

class Context;

struct Step {
  std::string name = {};                   // "containerd.start"; the step also provides this name
  std::string purpose = {};                // one line for people
  std::vector<std::string> needs = {};     // must have been provided; the provider comes first
  std::vector<std::string> after = {};     // comes first if there is a provider, which may have failed
  std::vector<std::string> provides = {};  // each by one step only
  std::vector<FileEffect> files = {};      // files that it writes,
  std::vector<std::string> units = {};     // units that it starts, stops or enables,
  std::vector<std::string> touches = {};   // and other resources that only one step may use at a time
  Phase phase = Phase::kNormal;
  Lasts lasts = Lasts::kThisBoot;
  Duration deadline = std::chrono::seconds(60);  // for all attempts together
  Retry retry = {};
  bool fatal = true;        // whether its failure ends the run
  int exit_code = 0;        // of the provisioning contract, if it fails with an error that has none
  std::string inputs = {};  // everything that its effect depends on; it runs again if this changes
  // A part of its effect that is known to be missing before the run, as readable text; empty: none. If it is set, the
  // step runs even if an earlier run has recorded it. Missing files of the step are detected without it, unless they
  // are shared.
  std::string undone = {};
  std::function<Task<Result<void>>(Context&)> run = {};
  // Called after the step was cancelled with the run. Ends work that continues without this process, like a queued job.
  // The result is published after it. Not for deferred steps.
  std::function<Task<Result<void>>(Context&)> take_back = {};
};

// The environment of a body.
class Context {
 public:
  using Say = std::function<void(std::string)>;
  Context(host::Host& h, const Step& s, std::map<std::string, std::string>& facts, Say note, Say leave_out = {})
      : host(h), step(s), facts_(facts), note_(std::move(note)), leave_out_(std::move(leave_out)) {}
  // The same step on another machine, for a body that must not change this one.
  Context on(host::Host& other) const {
    Context same(other, step, facts_, note_, leave_out_);
    same.left_alone_ = true;
    same.renews_ = renews_;
    return same;
  }

  host::Host& host;
  const Step& step;

  // Stores a fact for the steps that need it: `c.give("imds.metadata", body)`. The journal keeps facts for a run that
  // resumes, so they must not contain secrets. The step must provide the name.
  Result<void> give(std::string_view name, std::string value);
  // The step must need the name, or come after it; in that case the fact may be missing.
  Result<std::string> fact(std::string_view name) const;

  // Adds a file to those that the step declares, for a body that learns the names of its files while it runs.
  void wrote(std::string path) { wrote_.insert(std::move(path)); }
  const std::set<std::string>& written() const { return wrote_; }

  // True if an earlier run of this boot may have done this step, or part of it, with different files: a unit that the
  // step starts may be running with the old ones.
  bool renews() const { return renews_; }
  void set_renews(bool renews) { renews_ = renews; }

  void note(std::string text) const { note_(std::move(text)); }  // to the observers
  // Like note(), for a change of the machine: ignored if the machine is left alone.
  void did(std::string text) const {
    if (!left_alone_) note_(std::move(text));
  }

  // Tells the observers that a part of the step's work was left undone on purpose (--root). This is not a failure.
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
