#include "timeline/gather.h"

#include <fmt/format.h>

#include <cerrno>

#include "base/node_paths.h"
#include "timeline/boot_units.h"
#include "timeline/bounded_read.h"
#include "timeline/journal_entries.h"
#include "timeline/run_record.h"
#include "timeline/wall_sources.h"

namespace sunup::timeline {
namespace {

using host::Task;

constexpr size_t kMostEvents = 5000;
constexpr size_t kLargestEvent = 64 << 10;
constexpr size_t kLargestLog = 16 << 20;
constexpr size_t kMostOutput = 64 << 20;  // an hour of verbose kubelet output; the beginning is the important part
constexpr std::chrono::seconds kPatience(30);

void note(Sources& sources, std::string name, bool found, std::string detail, bool cut = false) {
  sources.notes.push_back({std::move(name), found, std::move(detail), cut});
}

// The reason why an existing path cannot be read; empty if it can be read or does not exist. Only regular files are
// opened: a pipe would block, and a device may be endless.
std::string oddity(const Result<host::FileInfo>& info, const std::string& place, host::FileKind wanted) {
  if (!info) {
    const bool absent = info.error().os_errno == ENOENT || info.error().os_errno == ENOTDIR;
    return absent ? "" : info.error().what;
  }
  if (info->kind == wanted) return "";
  const char* kind = info->kind == host::FileKind::kDirectory ? "a directory"
                     : info->kind == host::FileKind::kRegular ? "a file"
                                                              : "a pipe, a socket or a device";
  return fmt::format("there, but unusable: {} is {}, not {}", place, kind,
                     wanted == host::FileKind::kDirectory ? "a directory" : "a file");
}

// The first of the paths that exists.
std::optional<std::string> first_file(host::Files& files, Sources& sources, const std::string& name,
                                      const std::vector<std::string>& places, size_t most = kLargestLog) {
  std::string trouble = not_at(places);
  for (const std::string& place : places) {
    const auto info = files.info(place);
    if (const std::string odd = oddity(info, place, host::FileKind::kRegular); !odd.empty()) trouble = odd;
    if (!info || info->kind != host::FileKind::kRegular) continue;
    auto read = read_ends(files, place, most);
    if (read) {
      const std::string cut = said_of_cut(*read);
      note(sources, name, true, cut.empty() ? place : place + "; " + cut, !cut.empty());
      return std::move(read->text);
    }
    trouble = read.error().what;
  }
  note(sources, name, false, trouble);
  return std::nullopt;
}

void read_events(host::Files& files, Sources& sources, const std::vector<std::string>& places) {
  std::string trouble = not_at(places);
  for (const std::string& place : places) {
    const auto names = files.list(place);
    if (!names) {
      const auto info = files.info(place);
      if (const std::string odd = oddity(info, place, host::FileKind::kDirectory); !odd.empty())
        trouble = odd;
      else if (info)
        trouble = names.error().what;
      continue;
    }
    size_t left_out = 0;
    size_t unusable = 0;
    for (const std::string& name : *names) {
      if (!name.ends_with(".json")) continue;
      const std::string path = place + "/" + name;
      const auto info = files.info(path);
      if (!info || info->kind != host::FileKind::kRegular) {
        ++unusable;
        continue;
      }
      if (sources.events.size() >= kMostEvents || info->size > kLargestEvent) {
        ++left_out;
      } else if (auto text = files.read_part(path, 0, kLargestEvent)) {
        sources.events.emplace_back(name, std::move(*text));
      } else {
        ++unusable;
      }
    }
    std::string detail = sources.events.empty() ? place + " is empty (the guest agent removes events)"
                                                : fmt::format("{} ({})", place, sources.events.size());
    if (left_out > 0) detail += fmt::format("; cut: {} more are omitted, too many or too large", left_out);
    if (unusable > 0) detail += fmt::format("; {} cannot be read", unusable);
    note(sources, "guest-agent events", !sources.events.empty(), std::move(detail), left_out > 0);
    return;
  }
  note(sources, "guest-agent events", false, trouble);
}

struct Output {
  std::string text;
  bool cut = false;
};

// The beginning of a program's output. Output above the limit is cut off, which is not an error.
Task<Result<Output>> output_of(host::Processes& processes, host::Command command) {
  auto kept = std::make_shared<Output>();
  const std::string what = command.argv.front();
  command.env.emplace_back("LC_ALL=C.UTF-8");
  command.keep = 4096;
  command.limit = kPatience;
  command.on_output = [kept](host::Stream stream, std::string_view bytes) {
    if (stream != host::Stream::kOut) return;
    if (kept->text.size() < kMostOutput)
      kept->text.append(bytes);
    else
      kept->cut = true;
  };
  Result<host::Exit> exit = co_await processes.run(std::move(command));
  if (!exit) co_return std::move(exit).error();
  if (!exit->ok() && kept->text.empty()) co_return exit->as_error(what);
  co_return std::move(*kept);
}

host::Command journal_command() {
  host::Command command = host::command("journalctl", "--output=json", "--no-pager", "--quiet");
  command.argv.emplace_back(
      "--output-fields=MESSAGE,MESSAGE_ID,UNIT,_BOOT_ID,_HOSTNAME,_SYSTEMD_UNIT,_TRANSPORT,KERNEL_USEC,"
      "_SOURCE_REALTIME_TIMESTAMP,_SOURCE_MONOTONIC_TIMESTAMP");
  return command;
}

// Only the entries that the timeline reads: alternatives, joined by +.
void add_matches(host::Command& command) {
  command.argv.push_back(fmt::format("MESSAGE_ID={}", kStartupFinished));
  for (const BootUnit& unit : kBootUnits) {
    command.argv.emplace_back("+");
    command.argv.push_back(fmt::format("UNIT={}", unit.name));
    command.argv.emplace_back("+");
    command.argv.push_back(fmt::format("_SYSTEMD_UNIT={}", unit.name));
  }
}

Task<void> read_journal(host::Processes& processes, Sources& sources, host::Command command, std::string where) {
  Result<Output> output = co_await output_of(processes, std::move(command));
  if (output && !output->text.empty()) {
    if (output->cut) where += fmt::format("; cut: everything after the first {} MiB is omitted", kMostOutput >> 20);
    note(sources, "journal", true, where, output->cut);
    sources.journal = std::move(output->text);
  } else {
    note(sources, "journal", false, output ? "nothing in it about this boot" : output.error().what);
  }
}

bool holds_journal_files(host::Files& files, const std::string& directory) {
  const auto names = files.list(directory);
  if (!names) return false;
  for (const std::string& name : *names) {
    if (name.ends_with(".journal")) return true;
    const auto inner = files.list(directory + "/" + name);
    if (!inner) continue;
    for (const std::string& file : *inner)
      if (file.ends_with(".journal")) return true;
  }
  return false;
}

// Whether there is a symbolic link on the path from the directory to the place, or inside it. journalctl would follow
// it out of the directory.
Result<bool> has_links(host::Files& files, const std::string& directory, const std::string& place) {
  std::vector<std::string> paths;
  for (size_t slash = directory.size(); slash != std::string::npos; slash = place.find('/', slash + 1))
    if (slash > directory.size()) paths.push_back(place.substr(0, slash));
  paths.push_back(place);
  const auto names = files.list(place);
  if (!names) return names.error();
  for (const std::string& name : *names) {
    paths.push_back(place + "/" + name);
    const auto inner = files.list(place + "/" + name);
    if (!inner) continue;
    for (const std::string& file : *inner) paths.push_back(fmt::format("{}/{}/{}", place, name, file));
  }
  for (const std::string& path : paths) {
    const auto link = files.link_if_there(path);
    if (!link) return link.error();
    if (*link) return true;
  }
  return false;
}

constexpr auto& kControllerLog = paths::kLog;
constexpr char kCloudInitLog[] = "/var/log/cloud-init.log";

}  // namespace

Task<Sources> gather_from_machine(host::Files& files, host::Processes& processes, std::string boot_id,
                                  bool files_only) {
  Sources sources;
  sources.machine_is_up = !files_only;
  const auto unfinished = files.exists(paths::kUnfinished);
  sources.owes_deferred = !files_only && unfinished.ok() && *unfinished;
  sources.run_record = first_file(files, sources, "run record", {kRunRecord});
  sources.controller_log = first_file(files, sources, paths::kLogName, {kControllerLog});
  sources.provision_json = first_file(files, sources, "provision.json", {paths::kResult});
  sources.cloud_init_log = first_file(files, sources, "cloud-init.log", {kCloudInitLog});
  read_events(files, sources, {paths::kEvents});
  if (files_only) {
    note(sources, "systemd", false, "only files were read");
    note(sources, "journal", false, "only files were read");
    co_return sources;
  }
  if (!boot_id.empty()) sources.units_boot = boot_id;

  host::Command manager = host::command("systemctl", "show");
  Result<Output> first = co_await output_of(processes, std::move(manager));
  host::Command show = host::command("systemctl", "show", std::string("--property=") + kUnitProperties);
  for (const BootUnit& unit : kBootUnits) show.argv.emplace_back(unit.name);
  Result<Output> units = co_await output_of(processes, std::move(show));
  if (first && units) {
    sources.units = first->text + "\n" + units->text;
    note(sources, "systemd", true, "systemctl show");
  } else {
    note(sources, "systemd", false, first ? units.error().what : first.error().what);
  }

  host::Command journal = journal_command();
  const auto record = sources.run_record ? parse_run_record(*sources.run_record) : std::nullopt;
  const auto logged =
      sources.controller_log ? parse_controller_log(*sources.controller_log).last_provision : std::nullopt;
  if (record && !record->boot.empty()) {
    journal.argv.push_back("--boot=" + journal_boot_id(record->boot));
  } else if (logged) {
    // Starts with the boot before the run, whose time is not recorded, instead of reading the whole journal.
    journal.argv.push_back(fmt::format("--since=@{}", logged->start / kSecond - 3600));
    journal.argv.push_back(fmt::format("--until=@{}", logged->start / kSecond + 7200));
  } else {
    journal.argv.emplace_back("--boot=0");
  }
  add_matches(journal);
  co_await read_journal(processes, sources, std::move(journal), "journalctl");
  co_return sources;
}

Task<Sources> gather_from_directory(host::Files& files, host::Processes& processes, std::string directory) {
  Sources sources;
  sources.run_record = first_file(files, sources, "run record", places(directory, kRunRecord));
  sources.controller_log = first_file(files, sources, paths::kLogName, places(directory, kControllerLog));
  sources.provision_json = first_file(files, sources, "provision.json", places(directory, paths::kResult));
  sources.cloud_init_log = first_file(files, sources, "cloud-init.log", places(directory, kCloudInitLog));
  read_events(files, sources, places(directory, paths::kEvents));
  sources.units = first_file(files, sources, "systemd", {directory + "/units.txt"});
  if (const auto info = files.info(directory + "/boot_id"); info && info->kind == host::FileKind::kRegular)
    if (auto boot = files.read_part(directory + "/boot_id", 0, 64)) sources.units_boot = std::move(*boot);

  const std::string exported = directory + "/journal.json";
  for (const std::string& place : places(directory, "/var/log/journal")) {
    if (const auto there = files.exists(exported); !there || *there || !holds_journal_files(files, place)) continue;
    if (const auto links = has_links(files, directory, place); !links || *links) {
      note(sources, "journal", false, links ? place + " has links in it, or is behind one" : links.error().what);
      co_return sources;
    }
    host::Command journal = journal_command();
    journal.argv.push_back("--directory=" + place);
    add_matches(journal);
    co_await read_journal(processes, sources, std::move(journal), place);
    co_return sources;
  }
  sources.journal = first_file(files, sources, "journal", {exported}, kMostOutput);
  co_return sources;
}

}  // namespace sunup::timeline
