#include "timeline/run_record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "base/json_member.h"

namespace sunup::timeline {
namespace {

using nlohmann::json;

// Empty if there is none, or if it is out of range.
std::optional<int64_t> whole_number(const json& line, const char* member) {
  const auto found = line.find(member);
  if (found == line.end() || !found->is_number_integer()) return std::nullopt;
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (found->is_number_unsigned() && found->get<uint64_t>() > kMost) return std::nullopt;
  return found->get<int64_t>();
}

int64_t number_of(const json& line, const char* member) {
  return whole_number(line, member).value_or(0);
}

// No machine is up for ten years, and no run takes one year.
constexpr Nanos kLongestUp = kSecond * 10 * 366 * 86400;
constexpr Nanos kLongestRun = kSecond * 366 * 86400;

std::optional<Nanos> time_of(const json& line) {
  const auto at = whole_number(line, "t");
  return at && *at >= 0 && *at < kLongestUp ? at : std::nullopt;
}

// Nanoseconds since 1970; 0 if it is missing.
int64_t wall_of(const json& line) {
  constexpr int64_t kMost = 9'000'000'000'000'000'000;  // the year 2255; larger values are not times
  const int64_t wall = number_of(line, "wall");
  return wall > 0 && wall < kMost ? wall : 0;
}

std::vector<std::string> list_of(const json& line, const char* member) {
  std::vector<std::string> out;
  const auto found = line.find(member);
  if (found == line.end() || !found->is_array()) return out;
  for (const json& item : *found)
    if (item.is_string()) out.push_back(item.get<std::string>());
  return out;
}

class Reader {
 public:
  // A line without a valid time would be shown at the wrong place.
  bool read(const json& line) {
    const auto at = time_of(line);
    if (!at) return false;
    if (text_of(line, "sunup") == "run record") {
      head(line);
      return true;
    }
    const std::string event = text_of(line, "e");
    if (event.empty() || (any_ && (*at < record_.start || *at - record_.start > kLongestRun))) return false;
    record_.last = std::max(record_.last, *at);
    if (const std::string step = text_of(line, "step"); !step.empty())
      about_step(find(step), event, line);
    else
      about_run(event, line);
    return true;
  }
  bool any() const { return any_; }
  RunRecord take() { return std::move(record_); }

 private:
  void head(const json& line) {
    any_ = true;
    record_.boot = text_of(line, "boot");
    record_.version = text_of(line, "version");
    record_.mode = text_of(line, "mode");
    record_.pid = number_of(line, "pid");
    record_.start = record_.last = number_of(line, "t");
    record_.anchors.push_back({record_.start, wall_of(line)});
  }

  RecordedStep& find(const std::string& name) {
    const auto [known, is_new] = index_.try_emplace(name, record_.steps.size());
    if (is_new) record_.steps.emplace_back().name = name;
    return record_.steps[known->second];
  }

  void about_step(RecordedStep& step, const std::string& event, const json& line) {
    const Nanos at = number_of(line, "t");
    const std::string text = text_of(line, "text");
    const std::string error = text_of(line, "error");
    if (event == "declared") {
      step.purpose = text_of(line, "purpose");
      step.rank = text_of(line, "rank");
      step.needs = list_of(line, "needs");
      step.after = list_of(line, "after");
      step.provides = list_of(line, "provides");
      step.units = list_of(line, "units");
    } else if (event == "ready") {
      step.waited_for = text;
    } else if (event == "started") {
      if (!step.begun) step.start = at;
      step.begun = true;
      step.left_out.clear();
      step.attempts = static_cast<int>(number_of(line, "attempt"));
      if (!text.empty()) step.why = text;
    } else if (event == "note") {
      step.notes.push_back(text);
    } else if (event == "left out") {
      step.left_out.push_back(text);
    } else if (event == "retry") {
      step.retries.push_back(fmt::format("attempt {} failed after {:.3f} s: {} ({})", number_of(line, "attempt"),
                                         static_cast<double>(at - step.start) / 1e9, error, text));
    } else if (event == "ended") {
      step.end = at;
      step.error = error;
      step.state = error.empty() ? SpanState::kDone : SpanState::kFailed;
      leave_alone(step, text_of(line, "did"));
    } else if (event == "skipped" || event == "dropped") {
      if (!step.begun) step.start = at;
      step.end = at;
      step.state = event == "skipped" ? SpanState::kSkipped : SpanState::kCancelled;
      step.why = text;
    }
  }

  static void leave_alone(RecordedStep& step, const std::string& did) {
    step.left_alone = did == "nothing" || did == "part";
    if (!step.left_alone) return;
    const std::string what = fmt::format("left alone: {}", fmt::join(step.left_out, "; "));
    if (did == "nothing") {
      step.state = SpanState::kSkipped;
      step.why = what;
    } else {
      step.notes.push_back(what);
    }
  }

  void about_run(const std::string& event, const json& line) {
    const Nanos at = number_of(line, "t");
    if (const int64_t wall = wall_of(line); wall != 0) record_.anchors.push_back({at, wall});
    if (event == "milestone") {
      record_.milestone = at;
    } else if (event == "journal") {
      record_.troubles.push_back(text_of(line, "text"));
    } else if (event == "run ended") {
      record_.end = at;
      record_.failed_step = text_of(line, "text");
      record_.error = text_of(line, "error");
      record_.exit_code = static_cast<int>(number_of(line, "code"));
    }
  }

  RunRecord record_;
  std::map<std::string, size_t> index_;
  bool any_ = false;
};

}  // namespace

std::optional<RunRecord> parse_run_record(std::string_view text) {
  Reader reader;
  size_t unreadable = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const bool whole = end != std::string_view::npos;
    const std::string_view written = text.substr(0, end);
    text.remove_prefix(whole ? end + 1 : text.size());
    if (written.empty()) continue;
    const json line = json::parse(written, nullptr, false);
    if ((!line.is_object() || !reader.read(line)) && whole) ++unreadable;
  }
  if (!reader.any()) return std::nullopt;
  RunRecord record = reader.take();
  record.unreadable = unreadable;
  return record;
}

}  // namespace sunup::timeline
