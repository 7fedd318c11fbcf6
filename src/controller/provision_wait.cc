#include "controller/provision_wait.h"

#include <cerrno>

#include "base/quoted.h"
#include "controller/node_secrets.h"
#include "controller/os_reason.h"
#include "controller/own_output.h"
#include "controller/paths.h"
#include "controller/single_flight.h"
#include "host/running.h"
#include "report/redacted_json.h"
#include "report/result_file.h"

namespace sunup::controller {
namespace {

// What is wrong with the result, or nothing.
std::string complaint(const Result<std::string>& text, const report::Redactor& redactor) {
  if (!text) {
    const int error = text.error().os_errno;
    return std::string("failed to read provision.json: ") + (error == EISDIR ? "read " : "open ") + paths::kResult +
           ": " + os_reason(error) + ". One reason could be that AKSNodeConfig is not properly set";
  }
  const auto result = report::parse_result(*text);
  if (!result) return result.error().what;
  const auto code = report::exit_code_of(*result);
  if (!code) return code.error().what;
  if (*code == 0) return "";
  return "provision failed: exitCode=" + std::to_string(*code) + " error=" + result->error +
         " output=" + go_quoted(redactor.redact(result->output));  // quoted, it would not be recognised
}

}  // namespace

host::Task<int> provision_wait(Node& node, std::optional<host::Duration> limit) {
  TaskReport report(node, "ProvisionWait");
  // Made here so that it can be watched; if that fails its parents are, until somebody else makes it.
  if (const auto made = node.files.make_directories(paths::kContainers); !made)
    node.log.warn("cannot create its directory: waiting for a result that may never appear",
                  {{"path", paths::kContainers}, {"error", os_reason(made.error().os_errno)}});
  NodeSecrets secrets(node);
  secrets.hide();

  auto appears = node.watch.path_appears(paths::kComplete);
  Result<void> appeared;
  if (limit) {
    std::string what = std::string("waiting for ") + paths::kComplete;
    appeared = co_await host::within(node.loop, *limit, std::move(appears), std::move(what));
    if (!appeared) {
      // A last look: not every file system tells what others do to it (a network's does not).
      auto is_there = node.watch.path_appears(paths::kComplete);
      const auto found = co_await host::within(node.loop, host::Duration::zero(), std::move(is_there), "");
      if (found) appeared = found;
    }
  } else {
    appeared = co_await std::move(appears);
  }
  if (!appeared) {
    write_stdout("\n");
    const auto at_work = provision_under_way(node);
    report.failed(appeared.error().what + (at_work ? "; process " + std::to_string(*at_work) + " is provisioning"
                                                   : "; nothing is provisioning this node"));
    node.log.info("provision-wait finished", {{"provisionOutput", ""}});
    co_return 1;
  }

  const auto text = node.files.read(paths::kResult);
  secrets.hide();  // once more: they may have come meanwhile
  const std::string shown = text ? report::redacted_json(node.redactor, *text) : "";
  write_stdout(shown + "\n");

  const std::string wrong = complaint(text, node.redactor);
  if (wrong.empty())
    report.succeeded();
  else
    report.failed(wrong);
  node.log.info("provision-wait finished", {{"provisionOutput", shown}});
  co_return wrong.empty() ? 0 : 1;
}

}  // namespace sunup::controller
