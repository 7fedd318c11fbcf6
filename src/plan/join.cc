// What hooks can wait for after kubelet's start: that the node is registered, and that it is Ready. The API server is
// asked only if a hook names one of the two, and the result waits for the answer only if one of these hooks is not
// deferred.
#include <algorithm>

#include "host/running.h"
#include "plan/node_watch.h"
#include "plan/subjects.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

constexpr char kRegistered[] = "node.registered";
constexpr char kReady[] = "node.ready";

constexpr Duration kResultWaits = 10min;  // less than the usual limit of provisioning, so that the reason is reported
constexpr Duration kDeferredWaits = 1h;
constexpr Duration kToReport = 10s;

bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <const char* kStep>
bool is_awaited(const Subject& s) {
  return s.hooks && std::any_of(s.hooks->begin(), s.hooks->end(), [](const Hook& hook) {
           return contains(hook.needs, kStep) || contains(hook.after, kStep);
         });
}

// The step is as urgent, and its failure as serious, as the hooks that wait for it.
void as_for_hooks(const Subject& s, engine::Step& step) {
  bool result_waits = false;
  step.fatal = false;
  for (const Hook& hook : *s.hooks) {
    if (hook.deferred) continue;
    const bool needed = contains(hook.needs, step.name);
    result_waits |= needed || contains(hook.after, step.name);
    step.fatal |= needed && hook.fatal;
  }
  step.phase = result_waits ? engine::Phase::kNormal : engine::Phase::kDeferred;
  step.deadline = (result_waits ? kResultWaits : kDeferredWaits) + kToReport;
}

template <NodeState kState>
Task<Result<void>> wait_for_node(Context& c, SubjectPtr s) {
  const std::string what =
      kState == NodeState::kReady ? "waiting for the node to be Ready" : "waiting for the node to be registered";
  if (s->files_only) co_return c.leave_out(what);
  const auto said = std::make_shared<std::string>();
  auto reaches = node_reaches(c.host, kState, said);
  auto reached = co_await host::within(c.host.loop, c.step.deadline - kToReport, std::move(reaches), what);
  if (reached) co_return reached;
  Error late = std::move(reached).error();
  late.what += "; " + *said;
  co_return late;
}

}  // namespace

bool is_only_observed(std::string_view name) {
  return name == kRegistered || name == kReady;
}

Declarations join_steps() {
  return {
      {.name = kRegistered,
       .purpose = "waits until the cluster knows the node, by a watch of the API server",
       .original = "-",
       .when = "a hook names it",
       .wanted = is_awaited<kRegistered>,
       .needs = {"kubelet.started"},
       .lasts = Lasts::kThisRun,
       .patience = as_for_hooks,
       .body = wait_for_node<NodeState::kRegistered>},
      {.name = kReady,
       .purpose = "waits until the node is Ready, by a watch of the API server",
       .original = "-",
       .when = "a hook names it",
       .wanted = is_awaited<kReady>,
       .needs = {"kubelet.started"},
       .lasts = Lasts::kThisRun,
       .patience = as_for_hooks,
       .body = wait_for_node<NodeState::kReady>},
  };
}

}  // namespace sunup::plan
