#include "plan/unit_files.h"

#include <algorithm>

#include "plan/catalogue.h"

namespace sunup::plan {
namespace {

constexpr char kEtc[] = "/etc/systemd/system/";
constexpr char kRun[] = "/run/systemd/system/";

// The files there that systemd uses as drop-ins.
Result<std::vector<std::string>> drop_ins(host::Files& files, const std::string& folder) {
  const auto names = files.list_if_there(folder);
  if (!names) return names.error();
  std::vector<std::string> found;
  for (const std::string& name : *names) {
    if (!name.ends_with(".conf") || name.starts_with(".")) continue;
    const auto info = files.info_if_there(folder + "/" + name);
    if (!info) return info.error();
    if (*info && (*info)->kind != host::FileKind::kDirectory) found.push_back(name);
  }
  return found;
}

// systemd detects that unit files it has loaded have changed, but not always that there are new ones, because it caches
// which directories exist.
Result<bool> knows_the_files(host::Files& files, const std::string& unit, const host::UnitState& state) {
  if (!state.exists()) return false;
  // If the unit file is a symbolic link, systemd may report the path of either end.
  for (const char* folder : {kEtc, kRun}) {
    const auto own = files.info_if_there(folder + unit);
    if (!own) return own.error();
    if (!*own) continue;
    if ((*own)->kind == host::FileKind::kRegular && state.fragment != folder + unit) return false;
    break;  // it overrides those in later directories
  }
  const auto ours = drop_ins(files, kEtc + unit + ".d");
  if (!ours) return ours.error();
  for (const std::string& name : *ours)
    if (!contains(state.drop_ins, kEtc + unit + ".d/" + name)) return false;
  const auto others = drop_ins(files, kRun + unit + ".d");
  if (!others) return others.error();
  for (const std::string& name : *others)
    if (!contains(*ours, name) && !contains(state.drop_ins, kRun + unit + ".d/" + name)) return false;
  return true;
}

}  // namespace

bool comes_after_other_units(const Context& c) {
  return contains(c.step.touches, kUnitFiles);
}

Task<Result<void>> have_read(Context& c, std::string unit) {
  if (!comes_after_other_units(c)) {
    const auto state = co_await c.host.units.state(unit);
    if (state && !state->outdated) {
      const auto known = knows_the_files(c.host.files, unit, *state);
      if (!known) co_return known.error();
      if (*known) co_return Result<void>();
    }
  }
  c.did("systemd reloads the unit files");
  co_return co_await c.host.units.reload();
}

Task<Result<void>> see_what_was_read(Context& c, std::string unit) {
  const auto state = co_await c.host.units.state(unit);
  if (!state) co_return state.error();
  // "outdated" has no meaning here: newer versions of systemd report it for every unit after any unit was enabled.
  if (!state->exists()) co_return Result<void>();
  const auto known = knows_the_files(c.host.files, unit, *state);
  if (!known) co_return known.error();
  if (*known) co_return Result<void>();
  c.did("it was started from older files: systemd reloads them and restarts it");
  if (auto read = co_await c.host.units.reload(); !read) co_return read;
  co_return co_await c.host.units.restart(std::move(unit), host::JobWait::kQueued);
}

Task<Result<bool>> runs_from_older_files(Context& c, SubjectPtr subject, std::string service, std::string_view name) {
  const auto started = co_await c.host.units.main_started(service);
  const Declaration* declaration = find_step(name);
  if (!started || declaration == nullptr) co_return false;
  const auto step = make_step(*declaration, subject);
  if (!step) co_return false;
  for (const FileEffect& file : step->files) {
    const auto info = c.host.files.info_if_there(file.path);
    if (!info) co_return info.error();
    if (*info && (*info)->modified_ns + host::kFileTimeTickNs > static_cast<int64_t>(*started) * 1000) co_return true;
  }
  co_return false;
}

}  // namespace sunup::plan
