#include "controller/wait_for.h"

#include <fmt/format.h>

#include "base/node_paths.h"
#include "controller/node_secrets.h"
#include "controller/own_output.h"
#include "controller/result_files.h"
#include "host/running.h"
#include "plan/kubelet_health.h"
#include "plan/node_watch.h"

namespace sunup::controller {
namespace {

std::string_view word(Awaited what) {
  switch (what) {
    case Awaited::kKubelet:
      return "kubelet";
    case Awaited::kReady:
      return "ready";
    case Awaited::kPod:
      break;
  }
  return "pod";
}

host::Task<Result<void>> reached(Node& node, Awaited what, std::shared_ptr<std::string> state) {
  if (what != Awaited::kKubelet) {
    const auto asked = what == Awaited::kReady ? plan::NodeState::kReady : plan::NodeState::kRunsPod;
    co_return co_await plan::node_reaches(node.host, asked, std::move(state));
  }
  *state = "kubelet has not completed its start";
  co_return co_await node.watch.socket_accepts(plan::kKubeletStarted);
}

// Returns only if provisioning has failed: the event may then never happen.
host::Task<Result<void>> provisioning_fails(Node& node) {
  if (auto there = co_await node.watch.path_appears(paths::kComplete); !there) co_return there;
  const auto result = recorded_result(node);
  if (result && *result)
    if (const auto code = report::exit_code_of(**result); code && *code != 0)
      co_return Error(fmt::format("provisioning has failed with exit code {}: {}", *code, (*result)->error));
  const host::Slot<bool> never(node.loop);
  co_await never;
  co_return Result<void>();
}

host::Task<Result<void>> reached_or_failed(Node& node, Awaited what, std::shared_ptr<std::string> state) {
  auto first = co_await host::first_of(node.loop, reached(node, what, std::move(state)), provisioning_fails(node));
  if (first.index() == 0) co_return std::move(std::get<0>(first));
  co_return std::move(std::get<1>(first));
}

}  // namespace

std::optional<Awaited> parse_awaited(std::string_view text) {
  for (const Awaited what : {Awaited::kKubelet, Awaited::kReady, Awaited::kPod})
    if (text == word(what)) return what;
  return std::nullopt;
}

host::Task<int> wait_for(Node& node, Awaited what, std::optional<host::Duration> limit) {
  TaskReport report(node, "ProvisionWait");
  NodeSecrets secrets(node);
  secrets.hide();
  if (const auto made = node.files.make_directories(paths::kContainers); !made)
    node.log.warn("cannot create the directory of the result", {{"path", paths::kContainers}});
  const auto state = std::make_shared<std::string>();
  auto waiting = reached_or_failed(node, what, state);
  const std::string name = fmt::format("waiting for {}", word(what));
  auto done = limit ? co_await host::within(node.loop, *limit, std::move(waiting), name) : co_await std::move(waiting);
  secrets.hide();
  if (done) {
    write_stdout(fmt::format("{}: reached\n", word(what)));
    report.succeeded();
    co_return 0;
  }
  std::string why = done.error().what;
  if (done.error().os_errno == ETIMEDOUT) why += "; " + *state;
  why = node.redactor.redact(why);
  write_stdout(fmt::format("{}: not reached: {}\n", word(what), why));
  report.failed(why);
  co_return 1;
}

}  // namespace sunup::controller
