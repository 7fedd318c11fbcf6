#include "timeline/unit_times.h"

#include <charconv>

#include "base/text.h"

namespace sunup::timeline {
namespace {

int64_t number(std::string_view text) {
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::vector<std::string> names_in(std::string_view list) {
  const auto names = words(list);
  return {names.begin(), names.end()};
}

void read_unit(UnitTimes& unit, std::string_view key, std::string_view value) {
  const auto micros = [value] { return number(value) * 1000; };
  if (key == "Id")
    unit.name = value;
  else if (key == "ActiveState")
    unit.active = value;
  else if (key == "SubState")
    unit.sub = value;
  else if (key == "Result")
    unit.result = value;
  else if (key == "NRestarts")
    unit.restarts = static_cast<int>(number(value));
  else if (key == "After")
    unit.after = names_in(value), unit.knows_after = true;
  else if (key == "InactiveExitTimestampMonotonic")
    unit.begin = micros();
  else if (key == "ExecMainStartTimestampMonotonic")
    unit.main_start = micros();
  else if (key == "ActiveEnterTimestampMonotonic")
    unit.active_at = micros();
  else if (key == "InactiveEnterTimestampMonotonic")
    unit.inactive_at = micros();
}

void read_manager(ManagerTimes& manager, std::string_view key, std::string_view value) {
  if (key == "UserspaceTimestampMonotonic") manager.userspace = number(value) * 1000;
  if (key == "FinishTimestampMonotonic") manager.finish = number(value) * 1000;
  if (key == "KernelTimestamp") manager.has_kernel = !value.empty() && value != "n/a" && value != "0";
}

}  // namespace

ManagerTimes parse_systemctl_show(std::string_view text) {
  ManagerTimes manager;
  UnitTimes unit;
  const auto keep = [&] {
    if (!unit.name.empty() && unit.begin != 0) manager.units.push_back(std::move(unit));
    unit = {};
  };
  while (!text.empty()) {
    const std::string_view line = take_until(text, '\n');
    if (line.empty()) {
      keep();
      continue;
    }
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    read_manager(manager, line.substr(0, equals), line.substr(equals + 1));
    read_unit(unit, line.substr(0, equals), line.substr(equals + 1));
  }
  keep();
  return manager;
}

}  // namespace sunup::timeline
