#include "controller/report_ready.h"

#include <cerrno>
#include <ctime>

#include "base/node_paths.h"
#include "base/text.h"
#include "guest/agent_files.h"
#include "guest/azure_vm.h"
#include "guest/health.h"
#include "host/running.h"
#include "report/exit_codes.h"
#include "report/status.h"

namespace sunup::controller {
namespace {

// The id of the VM that a waiting run has reported as Ready. The next boot must not report it again.
constexpr char kReportedReady[] = "/var/lib/sunup/reported-ready";
constexpr uint64_t kLongestId = 4096;

std::string rfc3339(report::WallTime time) {
  const std::time_t seconds = static_cast<std::time_t>(time / 1'000'000'000);
  std::tm parts = {};
  gmtime_r(&seconds, &parts);
  char text[64];
  const size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S+00:00", &parts);
  return {text, size};
}

Result<std::string> result_text(Node& node) {
  const auto complete = node.files.exists(paths::kComplete);
  if (!complete) return complete.error();
  auto text = node.files.read_if_there(paths::kResult);
  if (!text) return std::move(text).error();
  if (!*complete || !*text)
    return Error("there is no result to report yet").with_hint("provision first, or wait for a result with --wait");
  return **std::move(text);
}

Result<bool> is_reported_ready(Node& node, const std::string& id) {
  const auto text = node.files.read_if_there(kReportedReady, kLongestId);
  if (!text) return text.error();
  return *text && !id.empty() && trimmed(**text) == id;
}

azure::ProvisioningReport without_result(Node& node, const std::string& id) {
  azure::ProvisioningReport said = empty_report(node, id);
  said.reason = "this node has not been provisioned in time";
  said.hint = "no config arrived, or provisioning is not finished: see 'journalctl -u aks-node-controller'";
  return said;
}

host::Task<Result<void>> send(Node& node, azure::ProvisioningReport said, host::Duration limit) {
  const bool ready = said.reason.empty();
  guest::HealthOptions health{.limit = limit, .note = [&node](const std::string& note) {
                                node.log.warn("reporting the state of this node", {{"error", note}});
                              }};
  Result<void> reported = co_await guest::report_health(node.host, std::move(said), std::move(health));
  if (reported) node.log.info("reported to Azure", {{"state", ready ? "Ready" : "NotReady"}});
  co_return reported;
}

// Reports a failure if there is no result after the time for which Azure waits, and continues to wait.
host::Task<Result<void>> wait_for_result(Node& node, std::string id, host::Duration limit) {
  auto appears = node.watch.path_appears(paths::kComplete);
  auto there = co_await host::within(node.loop, kLongestWaitForResult, std::move(appears), "a result");
  if (there || there.error().os_errno != ETIMEDOUT) co_return there;
  const auto reported = co_await send(node, without_result(node, id), limit);
  if (!reported) node.log.warn("Azure does not know that there is no result", {{"error", reported.error().what}});
  co_return co_await node.watch.path_appears(paths::kComplete);
}

}  // namespace

void tell_agent(Node& node, const std::string& id) {
  if (id.empty()) return;
  if (const auto told = guest::tell_agent_provisioned(node.files, id); !told)
    node.log.warn("the guest agent may report as well", {{"error", told.error().what}});
}

azure::ProvisioningReport empty_report(Node& node, const std::string& vm_id) {
  return {.version = node.version, .vm_id = vm_id, .time = rfc3339(node.now())};
}

std::string vm_id_of_node(Node& node) {
  auto id = guest::vm_id(node.files);
  if (!id) node.log.warn("cannot determine the id of this VM", {{"error", id.error().what}});
  return id ? *std::move(id) : "";
}

azure::ProvisioningReport report_of(Node& node, std::string_view result, const std::string& vm_id) {
  azure::ProvisioningReport said = empty_report(node, vm_id);
  const report::StatusReport found = report::find_statuses(result);
  if (found.statuses.empty() || !found.statuses[0].exit_code) {
    said.reason = "the result of provisioning cannot be read";
    return said;
  }
  const report::CseStatus& status = found.statuses[0];
  if (*status.exit_code == 0) return said;
  said.exit_code = std::to_string(*status.exit_code);
  said.step = status.result.failed_step;
  said.reason = node.redactor.redact(status.result.error);
  if (said.reason.empty()) said.reason = "provisioning failed with exit code " + said.exit_code;
  said.hint = node.redactor.redact(status.result.hint);
  return said;
}

host::Task<Result<void>> report_ready(Node& node, ReportOptions options) {
  const std::string id = options.vm_id.empty() ? vm_id_of_node(node) : options.vm_id;
  if (options.wait) {
    tell_agent(node, id);  // it may start before there is a result
    co_await tell_systemd(node);
    const auto before = is_reported_ready(node, id);
    if (!before) node.log.warn("this VM may be reported twice", {{"error", before.error().what}});
    if (before && *before) {
      node.log.info("this VM is reported as Ready already", {{"vm", id}});
      co_return Result<void>();
    }
  }
  azure::ProvisioningReport said = empty_report(node, id);
  if (!options.failure.empty()) {
    said.reason = node.redactor.redact(options.failure);
  } else if (!options.result.empty()) {
    said = report_of(node, options.result, id);
  } else {
    Result<void> there;
    if (options.wait) there = co_await wait_for_result(node, id, options.limit);
    if (!there) co_return there;
    const auto text = result_text(node);
    if (!text) co_return text.error();
    said = report_of(node, *text, id);
  }
  tell_agent(node, id);
  const bool ready = said.reason.empty();
  Result<void> reported = co_await send(node, std::move(said), options.limit);
  if (!reported) co_return reported;
  if (options.wait && ready && !id.empty())
    if (const auto noted = node.files.write_durable(kReportedReady, id + "\n"); !noted)
      node.log.warn("the next boot will report again", {{"error", noted.error().what}});
  co_return reported;
}

}  // namespace sunup::controller
