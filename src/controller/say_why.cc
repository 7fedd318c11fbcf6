#include "controller/say_why.h"

#include "announce/announce.h"
#include "timeline/gather.h"
#include "timeline/summary.h"

namespace sunup::controller {
namespace {

// "node-17\n"; below another root there is none.
std::string host_name(Node& node) {
  auto name = node.files.read("/proc/sys/kernel/hostname");
  return name ? name->substr(0, name->find('\n')) : "";
}

}  // namespace

report::Failure failure_of(Node& node, const Outcome& outcome) {
  report::Failure failure{.exit_code = std::atoi(outcome.result.exit_code.c_str()),
                          .step = outcome.failed_step,
                          .cause = node.redactor.redact(outcome.result.error),
                          .hint = node.redactor.redact(outcome.hint),
                          .ignored = outcome.ignored_fields,
                          .timeline = node.redactor.redact(outcome.timeline)};
  failure.node = host_name(node);
  return failure;
}

host::Task<void> say_why(Node& node, Outcome outcome) {
  if (outcome.timeline.empty()) {
    // The image's scripts ran, or we were stopped: their events or our record tell how far it came.
    const auto sources = co_await timeline::gather_from_machine(node.files, node.processes, "", true);
    outcome.timeline = timeline::summary_of(sources);
  }
  announce::Listeners listeners{.loop = node.loop, .files = node.files, .boot_id = node.host.boot_id};
  if (node.root.empty()) listeners.network = &node.host.network;
  auto announced = announce::announce_failure(std::move(listeners), failure_of(node, outcome));
  const std::vector<announce::Told> all = co_await std::move(announced);
  for (const announce::Told& told : all) {
    if (!told.result)
      node.log.warn("cannot announce the failure", {{"to", told.listener}, {"error", told.result.error().what}});
  }
}

}  // namespace sunup::controller
