#include "engine/resume.h"

#include <fmt/format.h>

#include <algorithm>

namespace sunup::engine {
namespace {

// True if a run that only performs deferred steps must not touch this step, because a run that was published as a
// success has already handled it. A step that only gathers information may run again for a deferred step if the
// information is lost.
bool belongs_to_a_success(const Graph& graph, const Journal& journal, size_t step) {
  if (graph.deferred(step)) return false;
  const Step& declared = graph.steps()[step];
  if (!declared.fatal || journal.recorded(declared) != nullptr || !declared.files.empty() || !declared.units.empty() ||
      !declared.touches.empty())
    return true;
  for (const size_t follower : graph.followers(step))
    for (const Graph::Edge& edge : graph.before(follower))
      if (graph.deferred(follower) && edge.step == step && edge.needed) return false;
  return true;
}

Resumed of_the_success(const Step& step, const Journal& journal) {
  // The run could not have succeeded without a fatal step. Its record may be lost, together with its facts.
  static const Journal::Done kWithoutRecord;
  const Journal::Done* done = journal.recorded(step);
  if (done == nullptr && step.fatal) done = &kWithoutRecord;
  if (done == nullptr) return {.done = nullptr, .left_alone = true, .why = "the successful run left no record of it"};
  return {.done = done, .left_alone = false, .why = "done by the successful run"};
}

// Why the record is not valid for the step, independent of the steps before it; empty if it is valid.
std::string outdated(const Step& step, const Journal::Done& done, const std::vector<const FileEffect*>& owned,
                     host::Files& files) {
  if (!step.undone.empty()) return step.undone;
  if (step.lasts == Lasts::kThisRun) return "";  // it runs in any case, and its outputs may have been consumed
  return difference(files, done.outputs, owned);
}

}  // namespace

// A step is done if it has a valid record, its files are unchanged, and every step before it is done too and has not
// been done again since. (A run that was interrupted in between may have undone the work of the later step.)
std::vector<Resumed> resume(const Graph& graph, const Journal& journal, const OwnedFiles& owned, host::Files& files,
                            bool only_deferred, const std::vector<std::string>& again) {
  std::vector<Resumed> resumed(graph.size());
  std::vector<bool> of_a_success(graph.size());
  for (const size_t i : graph.order()) {
    const Step& step = graph.steps()[i];
    const bool named = std::find(again.begin(), again.end(), step.name) != again.end();
    of_a_success[i] = only_deferred && !named && belongs_to_a_success(graph, journal, i);
    if (of_a_success[i]) {
      resumed[i] = of_the_success(step, journal);
      continue;
    }
    const Journal::Done*& done = resumed[i].done;
    std::string& why = resumed[i].why;
    done = journal.find(step, &why);
    if (done != nullptr)
      if (std::string changed = outdated(step, *done, owned.of(i), files); !changed.empty()) {
        why = std::move(changed);
        done = nullptr;
      }
    for (const Graph::Edge& edge : graph.before(i)) {
      if (done == nullptr) break;
      if (of_a_success[edge.step]) continue;
      const std::string& name = graph.steps()[edge.step].name;
      const Journal::Done* before = resumed[edge.step].done;
      if (before == nullptr)
        why = fmt::format("'{}' runs again", name);
      else if (before->number > done->number)
        why = fmt::format("'{}' has been done again since then", name);
      else
        continue;
      done = nullptr;
    }
    resumed[i].renews = done == nullptr && journal.begun_before();
    if (done != nullptr && step.lasts == Lasts::kThisRun) {
      why = "done by every run";
      done = nullptr;
    }
  }
  return resumed;
}

}  // namespace sunup::engine
