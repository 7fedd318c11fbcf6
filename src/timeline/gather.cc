#include "timeline/gather.h"

#include <fmt/format.h>

#include <csignal>

#include "timeline/journal_entries.h"
#include "timeline/run_record.h"
#include "timeline/wall_sources.h"

namespace sunup::timeline {
namespace {

using host::Task;

constexpr size_t kMostEvents = 5000;
constexpr size_t kMostOutput = 64 << 20;  // an hour of a talkative kubelet; the start is what matters
constexpr std::chrono::seconds kPatience(30);

void note(Sources& sources, std::string name, bool found, std::string detail) {
  sources.notes.push_back({std::move(name), found, std::move(detail)});
}

// The first of the places that holds the file.
std::optional<std::string> first_file(host::Files& files, Sources& sources, const std::string& name,
                                      const std::vector<std::string>& places) {
  std::string trouble = "not at " + places.front();
  for (const std::string& place : places) {
    const auto info = files.info(place);
    if (!info || info->kind != host::FileKind::kRegular) continue;
    auto text = files.read(place);
    if (text) {
      note(sources, name, true, place);
      return std::move(*text);
    }
    trouble = text.error().what;
  }
  note(sources, name, false, trouble);
  return std::nullopt;
}

void read_events(host::Files& files, Sources& sources, const std::vector<std::string>& places) {
  for (const std::string& place : places) {
    const auto names = files.list(place);
    if (!names) continue;
    for (const std::string& name : *names) {
      if (!name.ends_with(".json") || sources.events.size() >= kMostEvents) continue;
      if (auto text = files.read(place + "/" + name)) sources.events.emplace_back(name, std::move(*text));
    }
    note(sources, "guest-agent events", !sources.events.empty(),
         sources.events.empty() ? place + " is empty (the guest agent takes events away)"
                                : fmt::format("{} ({})", place, sources.events.size()));
    return;
  }
  note(sources, "guest-agent events", false, "not at " + places.front());
}

// The start of what a program prints. Too much of it is cut, not refused.
Task<Result<std::string>> output_of(host::Processes& processes, host::Command command) {
  auto text = std::make_shared<std::string>();
  auto enough = std::make_shared<bool>(false);
  const std::string what = command.argv.front();
  command.env.emplace_back("LC_ALL=C.UTF-8");
  command.keep = 4096;
  command.limit = kPatience;
  command.on_output = [text, enough](host::Stream stream, std::string_view bytes) {
    if (stream != host::Stream::kOut) return;
    if (text->size() < kMostOutput)
      text->append(bytes);
    else
      *enough = true;
  };
  Result<host::Exit> exit = co_await processes.run(std::move(command));
  if (!exit) co_return std::move(exit).error();
  if (!exit->ok() && !*enough && text->empty()) co_return exit->as_error(what);
  co_return std::move(*text);
}

host::Command journal_command() {
  host::Command command = host::command("journalctl", "--output=json", "--no-pager", "--quiet");
  command.argv.emplace_back(
      "--output-fields=MESSAGE,MESSAGE_ID,UNIT,_BOOT_ID,_HOSTNAME,_SYSTEMD_UNIT,_TRANSPORT,KERNEL_USEC,"
      "_SOURCE_REALTIME_TIMESTAMP,_SOURCE_MONOTONIC_TIMESTAMP");
  return command;
}

// Only what the timeline reads: alternatives, joined by +.
void add_matches(host::Command& command) {
  command.argv.push_back(fmt::format("MESSAGE_ID={}", kStartupFinished));
  for (const char* unit : kUnits) {
    command.argv.emplace_back("+");
    command.argv.push_back(fmt::format("UNIT={}", unit));
    command.argv.emplace_back("+");
    command.argv.push_back(fmt::format("_SYSTEMD_UNIT={}", unit));
  }
}

Task<void> read_journal(host::Processes& processes, Sources& sources, host::Command command, std::string where) {
  Result<std::string> text = co_await output_of(processes, std::move(command));
  if (text && !text->empty()) {
    note(sources, "journal", true, where);
    sources.journal = std::move(*text);
  } else {
    note(sources, "journal", false, text ? "nothing in it about this boot" : text.error().what);
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

std::vector<std::string> below(const std::string& directory, std::initializer_list<const char*> prefixes,
                               std::string_view name) {
  std::vector<std::string> places;
  for (const char* prefix : prefixes) places.push_back(fmt::format("{}/{}{}", directory, prefix, name));
  return places;
}

}  // namespace

Task<Sources> gather_from_machine(host::Files& files, host::Processes& processes, std::string boot_id,
                                  bool files_only) {
  Sources sources;
  sources.machine_is_up = !files_only;
  sources.run_record = first_file(files, sources, "run record", {kRunRecord});
  sources.controller_log =
      first_file(files, sources, "aks-node-controller.log", {"/var/log/azure/aks-node-controller.log"});
  sources.provision_json = first_file(files, sources, "provision.json", {"/var/log/azure/aks/provision.json"});
  sources.cloud_init_log = first_file(files, sources, "cloud-init.log", {"/var/log/cloud-init.log"});
  read_events(files, sources, {"/var/log/azure/Microsoft.Azure.Extensions.CustomScript/events"});
  if (files_only) {
    note(sources, "systemd", false, "only files were looked at");
    note(sources, "journal", false, "only files were looked at");
    co_return sources;
  }
  if (!boot_id.empty()) sources.units_boot = boot_id;

  host::Command manager = host::command("systemctl", "show");
  Result<std::string> first = co_await output_of(processes, std::move(manager));
  host::Command show = host::command("systemctl", "show", std::string("--property=") + kUnitProperties);
  for (const char* unit : kUnits) show.argv.emplace_back(unit);
  Result<std::string> units = co_await output_of(processes, std::move(show));
  if (first && units) {
    sources.units = *first + "\n" + *units;
    note(sources, "systemd", true, "systemctl show");
  } else {
    note(sources, "systemd", false, first ? units.error().what : first.error().what);
  }

  host::Command journal = journal_command();
  const auto record = sources.run_record ? parse_run_record(*sources.run_record) : std::nullopt;
  const auto logged = sources.controller_log ? last_provision(*sources.controller_log) : std::nullopt;
  if (record && !record->boot.empty()) {
    journal.argv.push_back("--boot=" + journal_boot_id(record->boot));
  } else if (logged) {
    // From the boot before the run, which nobody has noted, but not from the beginning of time.
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
  sources.run_record = first_file(
      files, sources, "run record",
      below(directory, {"", "aks-node-controller/", "azure/aks-node-controller/", "var/log/azure/aks-node-controller/"},
            "trace.jsonl"));
  sources.controller_log = first_file(files, sources, "aks-node-controller.log",
                                      below(directory, {"", "azure/", "var/log/azure/"}, "aks-node-controller.log"));
  sources.provision_json =
      first_file(files, sources, "provision.json",
                 below(directory, {"", "aks/", "azure/aks/", "var/log/azure/aks/"}, "provision.json"));
  sources.cloud_init_log =
      first_file(files, sources, "cloud-init.log", below(directory, {"", "var/log/"}, "cloud-init.log"));
  read_events(files, sources,
              below(directory,
                    {"", "Microsoft.Azure.Extensions.CustomScript/", "azure/Microsoft.Azure.Extensions.CustomScript/",
                     "var/log/azure/Microsoft.Azure.Extensions.CustomScript/"},
                    "events"));
  sources.units = first_file(files, sources, "systemd", below(directory, {""}, "units.txt"));
  if (auto boot = files.read(directory + "/boot_id")) sources.units_boot = std::move(*boot);

  const auto exported = below(directory, {""}, "journal.json");
  for (const std::string& place : below(directory, {"", "var/log/"}, "journal")) {
    if (files.exists(exported.front()) || !holds_journal_files(files, place)) continue;
    host::Command journal = journal_command();
    journal.argv.push_back("--directory=" + place);
    add_matches(journal);
    co_await read_journal(processes, sources, std::move(journal), place);
    co_return sources;
  }
  sources.journal = first_file(files, sources, "journal", exported);
  co_return sources;
}

}  // namespace sunup::timeline
