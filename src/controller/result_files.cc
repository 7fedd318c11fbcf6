#include "controller/result_files.h"

#include <cerrno>

#include "base/json_tree.h"
#include "base/node_paths.h"
#include "controller/os_reason.h"

namespace sunup::controller {
namespace {

// Whether the path is absent or cannot be a result: a directory, a pipe, a device, a file of gigabytes.
bool is_no_result(const Error& error) {
  return host::is_absent(error) || error.os_errno == EISDIR || error.os_errno == EFBIG || error.os_errno == EINVAL ||
         error.os_errno == EAGAIN;
}

// Whether the scripts have left a result of their own. It stays, whatever its content, unless it is the incomplete
// result of a script that was killed while writing it. A result that cannot be read at the moment counts, too, because
// it may contain more than is known here.
bool left_by_scripts(Node& node) {
  const auto text = node.files.read(paths::kResult);
  if (text) return JsonTree::parse(*text).ok();
  if (is_no_result(text.error())) return false;
  const auto there = node.files.exists(paths::kResult);
  return !there || *there;
}

void say(Node& node, std::string_view what, const char* path, const Error& error) {
  node.log.error(what, {{"path", path}, {"error", error.what}});
}

}  // namespace

Result<std::optional<report::ProvisionResult>> recorded_result(Node& node) {
  using Recorded = std::optional<report::ProvisionResult>;
  const auto marker = node.files.exists(paths::kComplete);
  if (!marker) return marker.error();
  if (!*marker) {
    const auto base = node.files.exists(paths::kBasePrepComplete);
    if (!base) return base.error();
    if (*base) return Recorded();
  }
  const auto text = node.files.read(paths::kResult);
  if (!text && is_no_result(text.error())) return Recorded();
  if (!text) return text.error();
  auto result = report::parse_result(*text);
  if (!result || !report::exit_code_of(*result)) return Recorded();
  return Recorded(*std::move(result));
}

Result<bool> recorded_success(Node& node) {
  const auto result = recorded_result(node);
  if (!result) return result.error();
  return *result && *report::exit_code_of(**result) == 0;
}

Result<void> clear_results(Node& node) {
  Result<void> cleared;
  // If one file cannot be removed, the others still are: a remaining result would count as that of the new run.
  for (const char* path : {paths::kComplete, paths::kResult, paths::kUnfinished})
    if (auto removed = node.files.remove_durable(path); !removed && removed.error().os_errno != ENOTDIR && cleared)
      cleared = std::move(removed);
  return cleared;
}

void reserve_room(Node& node) {
  constexpr size_t kRoom = 8 << 10;
  for (const char* path : paths::kReserves)
    if (auto reserved = node.files.write(path, std::string(kRoom, '\n'), 0600); !reserved)
      node.log.warn("cannot reserve disk space for the result", {{"path", path}, {"error", reserved.error().what}});
}

void give_room_back(Node& node) {
  for (const char* path : paths::kReserves) (void)node.files.remove(path);
}

Outcome verdict_of_scripts(Node& node, Outcome outcome) {
  if (outcome.signal != 0) {
    // This process ended the script, so a result without the marker is not final.
    const auto marker = node.files.exists(paths::kComplete);
    outcome.replaces_result = marker && !*marker;
    return outcome;
  }
  const auto text = node.files.read_if_there(paths::kResult);
  if (!text && !is_no_result(text.error())) return outcome;  // its content is not known, and it stays
  if (text && !*text) return outcome;
  auto result = text ? report::parse_result(**text) : text.error();
  const auto code = result ? report::exit_code_of(*result) : result.error();
  if (!code) {
    if (!outcome.ok()) return outcome;
    outcome =
        controller_failure("the script succeeded, but the result that it left says nothing: " + code.error().what);
    outcome.replaces_result = true;
    return outcome;
  }
  Outcome recorded = outcome_of(*std::move(result));
  if (recorded.exit_code == outcome.exit_code) return outcome;
  node.log.warn("the script's exit status and its result differ: the failure counts",
                {{"exitStatus", outcome.exit_code}, {"ExitCode", recorded.exit_code}});
  if (*code != 0) return recorded;
  outcome.replaces_result = true;
  return outcome;
}

Result<void> leave_marker(Node& node, const char* path, mode_t mode) {
  auto written = node.files.write_durable(path, "", mode);
  if (!written) say(node, "failed to write provision.complete file", path, written.error());
  return written;
}

Result<void> leave_result(Node& node, const std::string& result, const std::string& shorter, mode_t mode) {
  auto written = node.files.write_durable(paths::kResult, result, mode);
  // One retry, because a temporary error must not lose the exit code and the error, which matter more than the output.
  // If the disk is full, the output is omitted.
  if (!written)
    written = node.files.write_durable(paths::kResult, written.error().os_errno == ENOSPC ? shorter : result, mode);
  if (!written) say(node, "failed to write provision.json file", paths::kResult, written.error());
  return written;
}

void leave_marker_if_missing(Node& node) {
  if (const auto there = node.files.exists(paths::kComplete); there && !*there)
    (void)leave_marker(node, paths::kComplete, 0644);
}

Result<void> leave_success(Node& node, bool base_only) {
  const auto there = node.files.exists(paths::kResult);
  if (there && !*there) {
    node.log.warn("the script succeeded but left no result: its exit status is recorded", {{"path", paths::kResult}});
    const report::ProvisionResult result{
        .exit_code = "0", .error = "", .output = "The script left no result. Its exit status was 0."};
    const std::string text = report::brief_json(result);
    if (auto left = leave_result(node, text, text, 0644); !left) return left;
  }
  if (base_only) return {};
  const auto marker = node.files.exists(paths::kComplete);
  return marker && !*marker ? leave_marker(node, paths::kComplete, 0644) : Result<void>();
}

void leave_failure(Node& node, report::ProvisionResult result, bool replace, bool was_prepared) {
  give_room_back(node);
  result.error = node.redactor.redact(result.error);
  result.output = node.redactor.redact(result.output);
  if (replace || !left_by_scripts(node)) {
    const std::string whole = report::brief_json(result);
    if (!result.output.empty()) result.output = kNoRoom;
    // A success that becomes a failure has no deferred steps: at boot, its mark would cause the node to be provisioned
    // again.
    if (replace) (void)node.files.remove_durable(paths::kUnfinished);
    if (replace && !was_prepared) (void)node.files.remove_durable(paths::kBasePrepComplete);
    const auto left = leave_result(node, whole, report::brief_json(result), 0600);
    if (replace && !left && !node.files.remove_durable(paths::kResult)) return;
  }
  if (const auto there = node.files.exists(paths::kComplete); !there || !*there)
    (void)leave_marker(node, paths::kComplete, 0600);
}

}  // namespace sunup::controller
