#include "plan/unit_files.h"

#include <algorithm>

#include "plan/catalogue.h"

namespace sunup::plan {
namespace {

constexpr char kEtc[] = "/etc/systemd/system/";
constexpr char kRun[] = "/run/systemd/system/";

template <class Range>
bool contains(const Range& range, const std::string& one) {
  return std::find(range.begin(), range.end(), one) != range.end();
}

std::vector<std::string> drop_ins(host::Files& files, const std::string& folder) {
  auto names = files.list(folder);
  if (!names) return {};
  std::erase_if(*names, [](const std::string& name) { return !name.ends_with(".conf"); });
  return *std::move(names);
}

// systemd notices by itself that files it knows have changed, but not always that there are new ones: it remembers
// which folders there are.
bool is_what_was_read(host::Files& files, const std::string& unit, const host::UnitState& state) {
  if (!state.exists() || state.outdated) return false;
  if (files.exists(kEtc + unit) && state.fragment != kEtc + unit) return false;
  const auto ours = drop_ins(files, kEtc + unit + ".d");
  for (const std::string& name : ours)
    if (!contains(state.drop_ins, kEtc + unit + ".d/" + name)) return false;
  for (const std::string& name : drop_ins(files, kRun + unit + ".d"))
    if (!contains(ours, name) && !contains(state.drop_ins, kRun + unit + ".d/" + name)) return false;
  return true;
}

}  // namespace

Task<Result<bool>> have_read(Context& c, std::string unit) {
  if (!contains(c.step.touches, kUnitFiles)) {
    const auto loaded = co_await c.host.units.is_loaded(unit);
    if (loaded && !*loaded) co_return false;
    const auto state = co_await c.host.units.state(unit);
    if (state && is_what_was_read(c.host.files, unit, *state)) co_return true;
  }
  c.note("systemd reads the unit files again");
  auto read = co_await c.host.units.reload();
  if (!read) co_return std::move(read).error();
  co_return true;
}

Task<Result<void>> see_what_was_read(Context& c, std::string unit, host::UnitState now, host::JobWait wait) {
  if (!now.exists() || is_what_was_read(c.host.files, unit, now)) co_return Result<void>();
  c.note("it was started from older files: systemd reads them again, and starts it again");
  if (auto read = co_await c.host.units.reload(); !read) co_return read;
  co_return co_await c.host.units.restart(std::move(unit), wait);
}

Task<bool> runs_from_older_files(Context& c, SubjectPtr subject, std::string service, std::string_view name) {
  const auto started = co_await c.host.units.main_started(service);
  const Declaration* declaration = find_step(name);
  if (!started || declaration == nullptr) co_return false;
  const auto step = make_step(*declaration, subject);
  if (!step) co_return false;
  for (const FileEffect& file : step->files)
    if (const auto info = c.host.files.info(file.path);
        info && info->modified_ns / 1000 > static_cast<int64_t>(*started))
      co_return true;
  co_return false;
}

}  // namespace sunup::plan
