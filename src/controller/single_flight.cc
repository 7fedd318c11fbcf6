#include "controller/single_flight.h"

#include <cerrno>

#include "base/json_tree.h"
#include "base/json_writer.h"
#include "base/node_paths.h"
#include "base/text.h"
#include "controller/result_files.h"

namespace sunup::controller {

struct RunRecord {
  std::string boot;
  bool has_ended = false;
  bool cut_short = false;
  bool base_only = false;    // it has succeeded, and has only prepared the base image
  pid_t child = 0;           // while the run lasts: the script
  uint64_t child_start = 0;  // its start time, because process numbers are reused
  int64_t ended_at = 0;
  Outcome outcome;  // without the output, which is in provision.json
};

namespace {

// The start time of the process in ticks, because process numbers are reused. Empty if there is no such process.
Result<std::optional<uint64_t>> start_of(Node& node, pid_t pid) {
  using Start = std::optional<uint64_t>;
  const auto stat = node.callers_files.read("/proc/" + std::to_string(pid) + "/stat");
  if (!stat && (host::is_absent(stat.error()) || stat.error().os_errno == ESRCH)) return Start();
  if (!stat) return stat.error();
  return host::start_ticks_in(*stat);
}

// The record of the last run. Empty if there was no run, or if the record is incomplete.
Result<std::optional<RunRecord>> read_record(Node& node) {
  using Known = std::optional<RunRecord>;
  const auto text = node.files.read_if_there(paths::kRun);
  if (!text) return text.error();
  if (!*text) return Known();
  const auto json = JsonTree::parse(**text);
  if (!json) return Known();
  RunRecord record;
  for (const JsonNode& value : json->root()) {
    const std::string& name = value.name;
    if (name == "boot") record.boot = value.text;
    if (name == "child") record.child = as_number<pid_t>(value.text).value_or(0);
    if (name == "start") record.child_start = as_number<uint64_t>(value.text).value_or(0);
    if (name == "exit") record.outcome.exit_code = as_number<int>(value.text).value_or(1);
    if (name == "code") record.outcome.result.exit_code = value.text;
    if (name == "error") record.outcome.result.error = value.text;
    if (name == "base") record.base_only = true;
    if (name == "ended" || name == "cut") {
      record.has_ended = true;
      record.cut_short = name == "cut";
      record.ended_at = as_number<int64_t>(value.text).value_or(0);
    }
  }
  return Known(std::move(record));
}

Result<std::optional<std::string>> boot_id(Node& node) {
  return node.callers_files.read_if_there("/proc/sys/kernel/random/boot_id");
}

// If the result is that of the preparation of the base image: whether that happened in this boot. A node that was
// started from the captured image has another boot id and must still be provisioned.
Result<std::optional<bool>> prepared_in_this_boot(Node& node) {
  using Prepared = std::optional<bool>;
  const auto known = read_record(node);
  if (!known) return known.error();
  if (!*known || !(*known)->base_only) return Prepared();
  const auto boot = boot_id(node);
  if (!boot) return boot.error();
  return Prepared((*known)->boot == boot->value_or(""));
}

}  // namespace

SingleFlight::SingleFlight(Node& node)
    : node_(node),
      came_(node.loop.now().time_since_epoch().count()),
      result_was_(node.files.info_if_there(paths::kResult)),
      boot_id_(boot_id(node)) {}

host::Task<Result<std::optional<Outcome>>> SingleFlight::take_turn() {
  using Turn = std::optional<Outcome>;
  if (!result_was_) co_return result_was_.error();
  if (!boot_id_) co_return boot_id_.error();
  auto lock = node_.files.try_lock(paths::kLock, "provision");
  if (!lock && lock.error().os_errno == EWOULDBLOCK) {
    const auto owner = node_.files.lock_owner(paths::kLock);
    constexpr char kWaiting[] = "another provision is running, waiting for its result";
    if (owner && owner->pid != 0)
      node_.log.info(kWaiting, {{"pid", owner->pid}});
    else
      node_.log.info(kWaiting);  // it has just begun and not yet recorded its number
    lock = co_await node_.files.lock(paths::kLock, "provision");
  }
  if (!lock) {
    // If no lock is possible (read-only disk), the node is provisioned without one.
    node_.log.warn("cannot ensure that only one provision runs", {{"error", lock.error().what}});
    co_return Turn();
  }
  lock_ = std::move(*lock);

  auto known = read_record(node_);
  if (!known) co_return std::move(known).error();
  std::optional<RunRecord>& record = *known;
  // A process of an earlier boot no longer runs.
  if (!record || record->boot != boot_id_->value_or("")) co_return outcome_without_record();
  if (record->has_ended && record->ended_at >= came_) co_return Turn(std::move(record->outcome));
  if (!record->has_ended) co_return co_await outcome_of_killed_run(std::move(*record));
  co_return Turn();
}

host::Task<Result<std::optional<Outcome>>> SingleFlight::outcome_of_killed_run(RunRecord record) {
  using Turn = std::optional<Outcome>;
  node_.log.warn("an earlier provision was killed before it could leave a result");
  if (record.child == 0) co_return Turn();
  const auto start = start_of(node_, record.child);
  if (!start) co_return start.error();
  if (*start != record.child_start) co_return Turn();
  node_.log.info("its script is still running, waiting for it", {{"pid", record.child}});
  // If the process cannot be watched, it may still be running: a second one must not be started.
  if (auto waited = co_await node_.watch.process_ends(record.child, record.child_start); !waited)
    co_return std::move(waited).error();
  // The script was started after the results of earlier runs were removed, so an existing result is its own.
  auto result = recorded_result(node_);
  if (!result) co_return std::move(result).error();
  if (!*result) co_return Turn();
  Outcome outcome = outcome_of(**std::move(result));
  leave_marker_if_missing(node_);
  ended(outcome);
  co_return Turn(std::move(outcome));
}

// The run that this process waited for had no room for a record, but its result may be on another disk. A result that
// is not the one from the start of the wait was written meanwhile, even if the clock has changed.
Result<std::optional<Outcome>> SingleFlight::outcome_without_record() {
  const auto now = node_.files.info_if_there(paths::kResult);
  if (!now) return now.error();
  if (!*now || *now == *result_was_) return std::optional<Outcome>();
  auto result = recorded_result(node_);
  if (!result) return std::move(result).error();
  if (!*result) return std::optional<Outcome>();
  return std::optional(outcome_of(**std::move(result)));
}

void SingleFlight::begin() {
  write_record({});
}

void SingleFlight::child_started(pid_t pid) {
  RunRecord record;
  record.child = pid;
  if (const auto start = start_of(node_, pid); start && *start) record.child_start = **start;
  write_record(record);
}

void SingleFlight::ended(const Outcome& outcome, bool cut_short) {
  RunRecord record;
  record.has_ended = true;
  record.cut_short = cut_short;
  record.ended_at = node_.loop.now().time_since_epoch().count();
  record.base_only = outcome.base_only && outcome.ok();
  record.outcome = outcome;
  write_record(record);
}

// {"boot":"...","ended":"123","exit":"1","code":"240","error":"..."}, with "cut" instead of "ended" if it was
// interrupted, with "base":"true" if it has only prepared the base image, or {"boot":"...","child":"12","start":"34"}
void SingleFlight::write_record(const RunRecord& record) {
  if (!lock_ || !boot_id_) return;
  std::string text = "{\"boot\":";
  append_json_string(text, boot_id_->value_or(""), JsonEscapes::kText);
  const auto add = [&](std::string_view name, const std::string& value) {
    text.append(",\"").append(name).append("\":");
    append_json_string(text, value, JsonEscapes::kText);
  };
  if (record.has_ended) {
    add(record.cut_short ? "cut" : "ended", std::to_string(record.ended_at));
    add("exit", std::to_string(record.outcome.exit_code));
    add("code", record.outcome.result.exit_code);
    add("error", node_.redactor.redact(record.outcome.result.error));
    if (record.base_only) add("base", "true");
  } else if (record.child != 0) {
    add("child", std::to_string(record.child));
    add("start", std::to_string(record.child_start));
  }
  text += "}";
  if (const auto written = node_.files.write(paths::kRun, text, 0600); !written) {
    node_.log.warn("cannot record the progress of this provision", {{"error", written.error().what}});
    overwrite_record(std::move(text));
  }
}

// The record of an older run would take precedence over the result of this one. On a full disk, the existing file has
// room for the new record, and if not, it can still be removed. If this process is killed halfway, the record is
// unreadable, or is that of a running script that no longer exists: in both cases the result is used, as without a
// record.
void SingleFlight::overwrite_record(std::string text) {
  const auto old = node_.files.info(paths::kRun);
  if (!old) return;
  if (text.size() < old->size) text.resize(old->size, ' ');  // trailing white space has no meaning
  if (!node_.files.write_in_place(paths::kRun, text)) (void)node_.files.remove(paths::kRun);
}

Result<bool> provisioned(Node& node) {
  const auto success = recorded_success(node);
  if (!success || !*success) return success;
  const auto known = read_record(node);
  if (!known) return known.error();
  const auto& last = *known;
  if (!last || !last->has_ended) return true;
  return !last->base_only && (last->cut_short || last->outcome.exit_code == 0);
}

Result<bool> has_ended(Node& node) {
  const auto prepared = prepared_in_this_boot(node);
  if (!prepared) return prepared.error();
  if (*prepared) return **prepared;
  const auto marker = node.files.exists(paths::kComplete);
  if (!marker || *marker) return marker;
  const auto result = recorded_result(node);
  if (!result) return result.error();
  return result->has_value();
}

Result<bool> is_captured_after_preparation(Node& node) {
  const auto prepared = prepared_in_this_boot(node);
  if (!prepared) return prepared.error();
  return *prepared && !**prepared;
}

std::optional<host::LockOwner> provision_under_way(Node& node) {
  auto owner = node.files.lock_owner(paths::kLock);
  if (owner) {
    const auto start = start_of(node, owner->pid);
    const bool is_alive = !start || (owner->start_ticks == 0 ? start->has_value() : *start == owner->start_ticks);
    if (is_alive) return *std::move(owner);
  }
  // A controller that is killed may leave its script running.
  const auto record = read_record(node);
  const auto boot = boot_id(node);
  if (!record || !*record || !boot || (*record)->boot != boot->value_or("")) return std::nullopt;
  if ((*record)->has_ended || (*record)->child == 0) return std::nullopt;
  const auto start = start_of(node, (*record)->child);
  if (!start || *start != (*record)->child_start) return std::nullopt;
  return host::LockOwner{
      .pid = (*record)->child, .start_ticks = (*record)->child_start, .boot_id = (*record)->boot, .note = ""};
}

}  // namespace sunup::controller
