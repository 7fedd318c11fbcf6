#include "controller/provision_wait.h"

#include <cerrno>

#include "base/node_paths.h"
#include "base/quoted.h"
#include "controller/node_secrets.h"
#include "controller/os_reason.h"
#include "controller/own_output.h"
#include "controller/single_flight.h"
#include "host/running.h"
#include "report/provision_result.h"

namespace sunup::controller {
namespace {

// The error in the result; empty if there is none.
std::string complaint(const Result<std::string>& text, const redaction::Redactor& redactor) {
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
  namespace messages = report::messages;
  std::string what = std::string(messages::kProvisionFailed).append(std::to_string(*code));
  what.append(messages::kItsError).append(result->error);
  // Once quoted, the output would not be recognised.
  return what.append(messages::kItsOutput).append(go_quoted(redactor.redact(result->output)));
}

// Whether the file at the path is no longer `known`.
bool is_replaced(Node& node, const char* path, const std::optional<host::FileInfo>& known) {
  const auto now = node.files.info_if_there(path);
  return now && *now != known;
}

std::optional<host::FileInfo> what_is_at(Node& node, const char* path) {
  auto info = node.files.info_if_there(path);
  return info ? *std::move(info) : std::nullopt;
}

// Returns when a marker exists that was not captured with the image.
host::Task<Result<void>> marker_stands(Node& node) {
  auto appeared = co_await node.watch.path_appears(paths::kComplete);
  const auto captured = is_captured_after_preparation(node);
  if (!appeared || !captured || !*captured) co_return appeared;
  const auto of_image = what_is_at(node, paths::kComplete);
  co_return co_await node.watch.path_differs(
      paths::kComplete, [&node, of_image] { return is_replaced(node, paths::kComplete, of_image); });
}

// Returns when a result exists that counts without the marker. While a process provisions this node, the result may
// still be replaced, so this waits until that process ends.
host::Task<Result<void>> result_stands(Node& node) {
  while (true) {
    const auto known = what_is_at(node, paths::kResult);
    if (known) {
      (void)co_await node.watch.file_is_written(paths::kResult);
      if (const auto at_work = provision_under_way(node)) {
        auto end = node.watch.process_ends(at_work->pid, at_work->start_ticks);
        if (auto waited = co_await std::move(end); !waited) co_return waited;
      }
      const auto ended = has_ended(node);
      if (ended && *ended) co_return Result<void>();
    }
    auto replaced =
        node.watch.path_differs(paths::kResult, [&node, known] { return is_replaced(node, paths::kResult, known); });
    if (auto waited = co_await std::move(replaced); !waited) co_return waited;
  }
}

host::Task<Result<void>> provisioning_ends(Node& node) {
  auto marker = marker_stands(node);
  auto first = co_await host::first_of(node.loop, std::move(marker), result_stands(node));
  co_return first.index() == 0 ? std::get<0>(std::move(first)) : std::get<1>(std::move(first));
}

}  // namespace

host::Task<int> provision_wait(Node& node, std::optional<host::Duration> limit) {
  TaskReport report(node, "ProvisionWait");
  // Created here so that it can be watched. If that fails, its parents are watched until it exists.
  if (const auto made = node.files.make_directories(paths::kContainers); !made)
    node.log.warn("cannot create its directory: waiting for a result that may never appear",
                  {{"path", paths::kContainers}, {"error", os_reason(made.error().os_errno)}});
  NodeSecrets secrets(node);
  secrets.hide();

  auto ends = provisioning_ends(node);
  Result<void> ended;
  if (limit) {
    std::string what = std::string("waiting for ") + paths::kComplete;
    ended = co_await host::within(node.loop, *limit, std::move(ends), std::move(what));
    if (!ended) {
      // One last check, because some file systems (network file systems) do not report the changes of other hosts.
      const auto found = co_await host::within(node.loop, host::Duration::zero(), provisioning_ends(node), "");
      if (found) ended = found;
    }
  } else {
    ended = co_await std::move(ends);
  }
  if (!ended) {
    write_stdout("\n");
    const auto at_work = provision_under_way(node);
    report.failed(ended.error().what + (at_work ? "; process " + std::to_string(at_work->pid) + " is provisioning"
                                                : "; nothing is provisioning this node"));
    node.log.info(report::messages::kWaitEnded, {{"provisionOutput", ""}});
    co_return 1;
  }

  const auto text = node.files.read(paths::kResult);
  secrets.hide();  // again, because the files may have appeared meanwhile
  const std::string shown = text ? redaction::redacted_json(node.redactor, *text) : "";
  write_stdout(shown + "\n");

  const std::string wrong = complaint(text, node.redactor);
  if (wrong.empty())
    report.succeeded();
  else
    report.failed(wrong);
  node.log.info(report::messages::kWaitEnded, {{"provisionOutput", shown}});
  co_return wrong.empty() ? 0 : 1;
}

}  // namespace sunup::controller
