#include "host/sim/units.h"

#include <fmt/format.h>

#include <cerrno>

namespace sunup::host::sim {
namespace {

using namespace std::chrono_literals;

constexpr const char* kWanted = "/etc/systemd/system/multi-user.target.wants/";
constexpr const char* kFiles = "/etc/systemd/system/";
constexpr const char* kRuntimeFiles = "/run/systemd/system/";

Error no_such_unit(const std::string& name) {
  Error error(fmt::format("unit {}: Unit {} not found.", name, name));
  error.os_errno = ENOENT;
  return error;
}

}  // namespace

bool Units::masked(const std::string& name) const {
  const auto found = core_.world.disk.find(kFiles + name);
  return found != core_.world.disk.end() && found->second.content == "/dev/null";
}

// The unit file and its drop-ins, each with its content.
std::map<std::string, std::string> Units::files_of(const std::string& name) const {
  std::map<std::string, std::string> files;
  for (const std::string folder : {kFiles, kRuntimeFiles})
    for (const auto& [path, node] : core_.world.disk)
      if (path == folder + name || (path.starts_with(folder + name + ".d/") && path.ends_with(".conf")))
        files[path] = node.content;
  return files;
}

// The files as the manager knows them: those that it has read, or reads now because the unit is requested. It may not
// know a new drop-in directory or a new file below /run yet.
const std::map<std::string, std::string>& Units::read(const std::string& name, Unit& unit) {
  if (!unit.read) {
    unit.read = files_of(name);
    if (core_.world.random.below(100) < core_.world.faults.overlooked_folders)
      std::erase_if(*unit.read, [](const auto& file) {
        return file.first.find(".d/") != std::string::npos || file.first.starts_with(kRuntimeFiles);
      });
  }
  return *unit.read;
}

Task<Result<void>> Units::reload() {
  if (auto waited = co_await core_.wait("reload units", "", 5ms); !waited) co_return waited;
  for (auto& [name, unit] : core_.world.units) unit.read = files_of(name);
  core_.world.some_unit_enabled = false;
  co_return Result<void>();
}

Task<Result<void>> Units::link(std::string doing, std::vector<std::string> units, std::string where,
                               std::optional<std::string> target) {
  for (const std::string& given : units) {
    const std::string unit = given.substr(given.rfind('/') + 1);
    if (auto waited = co_await core_.wait(doing, unit, 1ms); !waited) co_return waited;
    if (!core_.world.units.contains(unit)) co_return no_such_unit(unit);
    const std::string path = where + unit;
    for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
      if (const std::string directory = path.substr(0, slash); !core_.world.disk.contains(directory))
        core_.put(directory, Node{FileKind::kDirectory, 0755, ""});
    // The first file that is found defines the unit.
    const bool runtime = core_.world.disk.contains(kRuntimeFiles + unit);
    const std::string found = given != unit ? given : (runtime ? kRuntimeFiles : "/lib/systemd/system/") + unit;
    if (target)
      core_.put(path, Node{FileKind::kSymlink, 0777, target->empty() ? found : *target});
    else if (core_.world.disk.contains(path))
      core_.put(path, std::nullopt);
    core_.world.some_unit_enabled = true;
  }
  co_return Result<void>();
}

Task<Result<void>> Units::enable(std::vector<std::string> units) {
  return link("enable", std::move(units), kWanted, "");
}
Task<Result<void>> Units::disable(std::vector<std::string> units) {
  return link("disable", std::move(units), kWanted, std::nullopt);
}
Task<Result<void>> Units::mask(std::vector<std::string> units) {
  return link("mask", std::move(units), kFiles, "/dev/null");
}
Task<Result<void>> Units::unmask(std::vector<std::string> units) {
  return link("unmask", std::move(units), kFiles, std::nullopt);
}

void Units::change(const std::string& name, Unit& unit, std::string active) {
  unit.active = std::move(active);
  if (unit.active == "active") {
    unit.active_since_us = static_cast<uint64_t>(core_.loop.now().time_since_epoch() / 1us);
    if (unit.flaps == 0)
      for (auto& [path, node] : appears_with(unit)) core_.put(path, std::move(node));
  }
  for (const Slot<bool>& waiter : std::exchange(changed_[name], {})) waiter.set(true);
}

void Units::come_up(const std::string& name) {
  if (core_.dead()) return;
  Unit& unit = core_.world.units[name];
  if (unit.active != "activating") return;
  if (unit.failures > 0) {
    --unit.failures;
    unit.result = "exit-code";
    change(name, unit, "failed");
    return;
  }
  unit.result = "success";
  const bool ends = unit.flaps > 0;
  if (ends) --unit.flaps;
  change(name, unit, "active");
  if (ends) {
    core_.loop.call_at(core_.loop.now() + unit.lives, [this, name] {
      Unit& flapping = core_.world.units[name];
      if (core_.dead() || flapping.active != "active") return;
      flapping.result = "exit-code";
      change(name, flapping, "activating");
      core_.loop.call_at(core_.loop.now() + 50ms, [this, name] { come_up(name); });
    });
  }
}

Task<Result<void>> Units::bring_up(std::string name, JobWait wait, bool again) {
  if (auto going = co_await core_.wait("start unit", name, 100us); !going) co_return going;
  const auto found = core_.world.units.find(name);
  if (found == core_.world.units.end()) co_return no_such_unit(name);
  if (masked(name)) co_return Error(fmt::format("unit {}: Unit {} is masked.", name, name));
  Unit& unit = found->second;
  if (unit.active == "active" && !again) co_return Result<void>();
  const auto files = files_of(name);
  if (files.empty() || read(name, unit) == files)
    core_.world.started_outdated.erase(name);
  else
    core_.world.started_outdated.insert(name);
  if (unit.active != "activating" || again) {
    unit.runs_from = core_.world.read_by(unit);
    change(name, unit, "activating");
    core_.loop.call_at(core_.loop.now() + core_.delayed(unit.takes), [this, name] { come_up(name); });
  }
  if (wait == JobWait::kQueued) co_return Result<void>();
  while (unit.active == "activating") {
    Slot<bool> changed(core_.loop);
    changed_[name].push_back(changed);
    co_await changed;
  }
  if (auto awake = core_.operation(Core::Kind::kOther, "end of start unit", name); !awake) co_return awake;
  if (unit.active == "active") co_return Result<void>();
  Error failed(
      fmt::format("unit {}: its job ended as 'failed', the unit is {} (result: {})", name, unit.active, unit.result));
  failed.os_errno = EIO;
  co_return failed;
}

Task<Result<void>> Units::start(std::string unit, JobWait wait) {
  return bring_up(std::move(unit), wait, false);
}
Task<Result<void>> Units::start_beside(std::string unit, std::string other) {
  core_.world.started_beside[unit] = std::move(other);
  return start(std::move(unit), JobWait::kDone);
}
Task<Result<void>> Units::restart(std::string unit, JobWait wait) {
  return bring_up(std::move(unit), wait, true);
}

Task<Result<void>> Units::stop(std::string name, JobWait) {
  if (auto waited = co_await core_.wait("stop unit", name, 2ms); !waited) co_return waited;
  const auto found = core_.world.units.find(name);
  if (found == core_.world.units.end()) co_return no_such_unit(name);
  change(name, found->second, "inactive");
  co_return Result<void>();
}

UnitState Units::look(const std::string& name) {
  const auto found = core_.world.units.find(name);
  if (found == core_.world.units.end())
    return UnitState{.load = "not-found", .active = "inactive", .sub = "dead", .result = ""};
  Unit& unit = found->second;
  UnitState state{.load = masked(name) ? "masked" : "loaded",
                  .active = unit.active,
                  .sub = unit.active == "active" ? "running" : "dead",
                  .result = unit.result,
                  .active_since_us = unit.active_since_us,
                  .outdated = read(name, unit) != files_of(name) || core_.world.some_unit_enabled};
  for (const auto& [path, content] : *unit.read)
    if (path != kFiles + name && path != kRuntimeFiles + name)
      state.drop_ins.push_back(path);
    else if (state.fragment.empty())
      state.fragment = path;
  return state;
}

Task<Result<bool>> Units::is_loaded(std::string name) {
  if (auto waited = co_await core_.wait("is unit loaded", name, 100us); !waited) co_return std::move(waited).error();
  const auto found = core_.world.units.find(name);
  co_return found != core_.world.units.end() && (found->second.read || found->second.active != "inactive");
}

Task<Result<UnitState>> Units::state(std::string unit) {
  if (auto waited = co_await core_.wait("state of unit", unit, 100us); !waited) co_return std::move(waited).error();
  co_return look(unit);
}

Task<Result<UnitState>> Units::next_change(std::string unit, UnitState known) {
  while (true) {
    Result<void> going = core_.operation(Core::Kind::kOther, "watch unit", unit);
    if (!going) co_return std::move(going).error();
    UnitState now = look(unit);
    if (now != known) co_return now;
    Slot<bool> changed(core_.loop);
    changed_[unit].push_back(changed);
    co_await changed;
  }
}

Task<Result<uint64_t>> Units::main_started(std::string service) {
  if (auto waited = co_await core_.wait("start time of", service, 100us); !waited) co_return std::move(waited).error();
  const uint64_t since = look(service).active_since_us;
  const auto before_start = core_.loop.wall().time_since_epoch() - core_.loop.now().time_since_epoch();
  co_return since == 0 ? 0 : since + static_cast<uint64_t>(before_start / 1us);
}

Task<Result<BootTimes>> Units::boot_times() {
  if (auto waited = co_await core_.wait("boot times", "", 100us); !waited) co_return std::move(waited).error();
  co_return BootTimes();
}

Task<Result<bool>> Units::machine_stops() {
  if (auto waited = co_await core_.wait("is it going down", "", 100us); !waited) co_return std::move(waited).error();
  co_return core_.world.stops;
}

}  // namespace sunup::host::sim
