#include "controller/say_why.h"

#include "announce/announce.h"
#include "controller/send_result.h"
#include "timeline/gather.h"
#include "timeline/summary.h"

namespace sunup::controller {
namespace {

// The host name ("node-17\n"); empty below another root.
std::string host_name(Node& node) {
  auto name = node.files.read("/proc/sys/kernel/hostname");
  return name ? name->substr(0, name->find('\n')) : "";
}

host::Task<Result<void>> to_service(Node& node, Outcome outcome) {
  co_await send_result(node, std::move(outcome));
  co_return Result<void>();
}

host::Task<Result<void>> to_others(Node& node, Outcome outcome) {
  announce::Listeners listeners{.loop = node.loop, .files = node.files, .boot_id = node.host.boot_id};
  if (node.root.empty()) listeners.network = &node.host.network;
  auto announced = announce::announce_failure(std::move(listeners), failure_of(node, outcome));
  const std::vector<announce::Told> all = co_await std::move(announced);
  for (const announce::Told& told : all) {
    if (!told.result)
      node.log.warn("cannot announce the failure", {{"to", told.listener}, {"error", told.result.error().what}});
  }
  co_return Result<void>();
}

}  // namespace

report::Failure failure_of(Node& node, const Outcome& outcome) {
  report::Failure failure{.exit_code = static_cast<int>(report::exit_code_of(outcome.result).value_or(0)),
                          .step = outcome.result.failed_step,
                          .cause = node.redactor.redact(outcome.result.error),
                          .hint = node.redactor.redact(outcome.result.hint),
                          .ignored = outcome.result.ignored_fields,
                          .timeline = node.redactor.redact(outcome.timeline)};
  failure.node = host_name(node);
  return failure;
}

host::Task<Outcome> with_timeline(Node& node, Outcome outcome) {
  if (!outcome.timeline.empty()) co_return outcome;
  const auto sources = co_await timeline::gather_from_machine(node.files, node.processes, "", true);
  timeline::Summary summary = timeline::summary_of(sources);
  outcome.timeline = std::move(summary.line);
  outcome.milestones = std::move(summary.milestones);
  co_return outcome;
}

// The result service is called concurrently with the others, so a webhook that hangs does not delay it.
host::Task<void> say_why(Node& node, Outcome outcome) {
  // The outcome has no timeline if the image's scripts ran, or if the run was stopped.
  outcome = co_await with_timeline(node, std::move(outcome));
  std::vector<host::Task<Result<void>>> both;
  if (sends_result(node, outcome)) both.push_back(to_service(node, outcome));
  both.push_back(to_others(node, outcome));
  (void)co_await host::all(node.loop, std::move(both));
}

}  // namespace sunup::controller
