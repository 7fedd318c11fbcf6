#include "host/real/boot.h"

#include <charconv>
#include <fstream>
#include <sstream>

namespace sunup::host::real {

std::string boot_id() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id.empty() ? "unknown" : id;
}

std::optional<uint64_t> process_start_ticks(pid_t pid) {
  std::string line;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/stat"), line);
  // The second field is the program's name in parentheses, which may itself contain spaces and parentheses. Fields are
  // counted from its end.
  const size_t after_name = line.rfind(')');
  if (after_name == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(after_name + 1));
  std::string field;
  for (int i = 3; i <= 22; ++i)
    if (!(fields >> field)) return std::nullopt;
  uint64_t ticks = 0;
  if (std::from_chars(field.data(), field.data() + field.size(), ticks).ec != std::errc()) return std::nullopt;
  return ticks;
}

}  // namespace sunup::host::real
