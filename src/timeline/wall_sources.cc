#include "timeline/wall_sources.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_member.h"
#include "base/text.h"
#include "report/boot_times.h"
#include "report/log.h"

namespace sunup::timeline {
namespace {

using nlohmann::json;
namespace messages = report::messages;

// A double of seconds since 1970 has a precision of about a quarter of a microsecond.
std::optional<Nanos> wall_of(std::string_view text) {
  const auto seconds = report::parse_boot_time(text);
  if (!seconds) return std::nullopt;
  return std::llround(*seconds * 1e6) * 1000;
}

template <class Visit>
void each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    visit(take_until(text, '\n'));
  }
}

// "1794786626745.json" is in milliseconds, "1794786626377497360.json" in nanoseconds.
std::optional<Nanos> time_of_name(std::string_view name) {
  const size_t dot = name.find('.');
  const std::string_view digits = name.substr(0, dot);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (digits.size() == 13) return value * 1'000'000;
  if (digits.size() == 19) return value;
  return std::nullopt;
}

// The offset of a local time from UTC, given the same moment in UTC to within some minutes.
Nanos zone(Nanos local, Nanos utc) {
  constexpr Nanos kQuarter = kSecond * 15 * 60;
  return std::llround(static_cast<double>(local - utc) / static_cast<double>(kQuarter)) * kQuarter;
}

// Reads the log line by line; several programs may write it at the same time.
class LogReader {
 public:
  void read(const json& line) {
    const std::string message = text_of(line, "msg");
    const auto at = wall_of(text_of(line, "time"));
    if (!at) return;
    if (message == messages::kStarted) {
      began(text_of(line, "task"), *at);
      if (line.contains("dryRun")) only_showed();
    } else if (message == messages::kDryRun) {
      only_showed();  // a controller that does not log this at its start
    } else if (message == messages::kProvisionedAlready) {
      // After a reboot the triggers run again; the run that did the work is the relevant one.
      if (before_) run_ = std::exchange(before_, std::nullopt);
      other_runs_ = true;
    } else if (message == messages::kFailed || message == messages::kSucceeded) {
      ended(*at, message == messages::kFailed, text_of(line, "error"));
    } else if (message == messages::kWaitEnded) {
      // This line follows its end, so that end is not the end of a provision run.
      if (!ends_.empty()) ends_.pop_back();
    } else if (shows_only_) {
      // A list of planned steps does not belong to a provision run.
    } else if (message == messages::kScriptsEnded) {
      mode("scripts");
    } else if (line.contains("step") || message == messages::kMilestone || message == messages::kConfigRefused) {
      mode("native");
    }
  }

  void finish(ControllerLog& log) {
    settle();
    log.last_provision = std::move(run_);
    log.dry_run = dry_run_;
  }

 private:
  struct End {
    Nanos at;
    bool failed;
    std::string error;
  };

  void began(const std::string& task, Nanos at) {
    other_runs_ = task != "Provision" && task != "ProvisionWait";
    if (task != "Provision") return;
    settle();
    shows_only_ = false;
    before_ = std::exchange(run_, LoggedRun{.start = at});
  }

  // A dry run provisions nothing: the run before it remains the last run.
  void only_showed() {
    if (!run_ || std::exchange(shows_only_, true)) return;
    dry_run_ = run_->start;
    run_ = std::exchange(before_, std::nullopt);
    other_runs_ = true;
  }

  void ended(Nanos at, bool failed, std::string error) {
    shows_only_ = false;
    if (std::exchange(other_runs_, false)) return;
    ends_.push_back({at, failed, std::move(error)});
  }

  // Of the remaining ends the first one belongs to the provision run.
  void settle() {
    if (run_ && !run_->end && !ends_.empty()) {
      run_->end = ends_.front().at;
      run_->failed = ends_.front().failed;
      if (run_->failed) run_->error = ends_.front().error;
    }
    ends_.clear();
  }

  void mode(const char* name) {
    if (run_ && run_->mode.empty()) run_->mode = name;
  }

  std::optional<LoggedRun> run_;
  std::optional<LoggedRun> before_;
  std::optional<Nanos> dry_run_;
  std::vector<End> ends_;    // since the run began, except those of provision-wait
  bool other_runs_ = false;  // the next end belongs to a program that provisions nothing
  bool shows_only_ = false;  // a dry run is in progress
};

}  // namespace

ControllerLog parse_controller_log(std::string_view text) {
  ControllerLog log;
  LogReader reader;
  each_line(text, [&](std::string_view written) {
    if (written.empty()) return;
    ++log.lines;
    const json line = json::parse(written, nullptr, false);
    if (line.is_object())
      reader.read(line);
    else
      ++log.unreadable;
  });
  reader.finish(log);
  return log;
}

std::vector<TimedEvent> parse_events(const std::vector<std::pair<std::string, std::string>>& files) {
  std::vector<TimedEvent> events;
  for (const auto& [name, text] : files) {
    const json object = json::parse(text, nullptr, false);
    if (!object.is_object()) continue;
    const auto start = wall_of(text_of(object, "Timestamp"));
    const auto end = wall_of(text_of(object, "OperationId"));
    if (!start || !end) continue;
    TimedEvent event{.task = text_of(object, "TaskName"), .start = *start, .end = *end, .message = {}};
    event.message = text_of(object, "Message");
    // Scripts name the file after the start, in milliseconds; the controller after the time of writing, just after the
    // end.
    if (const auto named = time_of_name(name)) {
      event.by_script = name.find('.') == 13;
      const Nanos off = zone(event.by_script ? *start : *end, *named);
      event.start -= off;
      event.end -= off;
    }
    events.push_back(std::move(event));
  }
  std::ranges::stable_sort(events, [](const TimedEvent& a, const TimedEvent& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
  return events;
}

bool is_cloud_init_log(std::string_view text) {
  bool any = false;
  each_line(text, [&any](std::string_view line) {
    // 2026-11-15 23:50:26,324 - ...
    any |= line.size() > 25 && line[4] == '-' && line[13] == ':' && line[19] == ',' && line.substr(23, 3) == " - ";
  });
  return any;
}

std::vector<Interval> boothooks(std::string_view cloud_init_log) {
  std::vector<Interval> found;
  bool running = false;
  each_line(cloud_init_log, [&](std::string_view line) {
    // 2026-11-15 23:50:26,324 - subp.py[DEBUG]: Running command ['.../boothooks/part-001'] ...
    if (line.size() < 24) return;
    const bool begins = line.find("Running command") != line.npos && line.find("/boothooks/") != line.npos;
    const bool ends = running && line.find("BootHookPartHandler") != line.npos && line.find("__end__") != line.npos;
    if (!begins && !ends) return;
    std::string stamp(line.substr(0, 23));
    std::ranges::replace(stamp, ',', '.');
    const auto at = wall_of(stamp);
    if (!at) return;
    if (begins) {
      if (!running) found.push_back({*at, *at});
      running = true;
    } else {
      found.back().end = *at;
      running = false;
    }
  });
  return found;
}

}  // namespace sunup::timeline
