#include "host/sim/core.h"

#include <fmt/format.h>

namespace sunup::host::sim {

Result<void> Core::operation(Kind kind, std::string_view what, const std::string& on) {
  const Faults& faults = world.faults;
  if (!dead() && ++operations_ == faults.crash_at) {
    if (world.on_operation) world.on_operation(loop.now(), faults.cut_power ? "POWER CUT at" : "CRASH at", on);
    loop.crash();
  }
  for (const OtherWriter& other : faults.others)
    if (!dead() && other.at == operations_)
      world.write_as_other(other, std::chrono::nanoseconds(loop.wall().time_since_epoch()).count());
  if (dead()) return Error::from_errno(EIO, fmt::format("{} {} (the process is dead)", what, on));
  if (world.on_operation) world.on_operation(loop.now(), what, on);
  if (kind == Kind::kRead)
    if (const auto found = faults.unreadable.find(on); found != faults.unreadable.end())
      return Error::from_errno(found->second, fmt::format("{} {}", what, on));
  if (kind == Kind::kWrite)
    if (const auto found = faults.unwritable.find(on); found != faults.unwritable.end())
      return Error::from_errno(found->second, fmt::format("{} {}", what, on));
  if (kind == Kind::kWrite && faults.file_errors > 0 && random_.chance(faults.file_errors))
    return Error::from_errno(faults.errors[random_.below(faults.errors.size())], fmt::format("{} {}", what, on));
  return {};
}

Result<void> Core::room(const std::string& path, size_t added) const {
  const std::string& full = world.faults.full;
  if (full.empty() || added == 0 || !path.starts_with(full + "/")) return {};
  return Error::from_errno(ENOSPC, "writing " + path);
}

Duration Core::delayed(Duration takes) {
  if (world.faults.delays > 0 && random_.chance(world.faults.delays))
    takes += Duration(random_.between(0, world.faults.longest_delay.count()));
  return takes;
}

Task<Result<void>> Core::wait(std::string what, std::string on, Duration takes) {
  if (auto begun = operation(Kind::kOther, what, on); !begun) co_return begun;
  co_await loop.after(delayed(takes));
  co_return operation(Kind::kOther, "end of " + what, on);
}

void Core::put(const std::string& path, std::optional<Node> node) {
  if (dead()) return;
  world.dirty.insert(path);
  world.whole.erase(path);
  if (!node) {
    world.disk.erase(path);
    return;
  }
  world.disk[path] = std::move(*node);
  if (const auto found = waiting_for_path.find(path); found != waiting_for_path.end()) {
    const std::vector<Slot<bool>> waiting = std::move(found->second);
    waiting_for_path.erase(found);
    for (const Slot<bool>& waiter : waiting) waiter.set(true);
  }
}

}  // namespace sunup::host::sim
