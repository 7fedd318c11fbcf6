#include "server/processors.h"

#include <sched.h>

#include <algorithm>
#include <fstream>

#include "base/text.h"

namespace sunup::server {
namespace {

// The beginning of a small file of the kernel; empty if it cannot be read.
std::string read_start(const std::string& path) {
  std::ifstream file(path);
  std::string text(4096, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

}  // namespace

std::optional<size_t> processors_of_quota(std::string_view cpu_max) {
  std::string_view line = take_until(cpu_max, '\n');
  const auto quota = as_number<int64_t>(take_until(line, ' ')), period = as_number<int64_t>(line);
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<size_t>(*quota / *period + (*quota % *period != 0 ? 1 : 0));
}

std::string group_path(std::string_view cgroup) {
  while (!cgroup.empty())
    if (const std::string_view line = take_until(cgroup, '\n'); line.starts_with("0::/"))
      return std::string(line.substr(3));
  return "";
}

size_t usable_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const int count = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
  const auto found = static_cast<size_t>(std::max(1, count));
  const std::string path = group_path(read_start("/proc/self/cgroup"));
  if (path.empty()) return found;
  // A limit of any group above applies too. In a container, its own group is the root.
  size_t least = found;
  for (std::string group = path == "/" ? "" : path;; group.erase(group.rfind('/'))) {
    least = std::min(least, processors_of_quota(read_start("/sys/fs/cgroup" + group + "/cpu.max")).value_or(least));
    if (group.empty()) return least;
  }
}

}  // namespace sunup::server
