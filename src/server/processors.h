// How many processors this process may use. The machine may have more: a container of Kubernetes may have a CPU limit,
// and a CPU affinity that contains only some of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sunup::server {

// At least 1.
size_t usable_processors();

// The processors of a quota, rounded up, from the text of cpu.max ("150000 100000": 2); nothing if there is no quota.
std::optional<size_t> processors_of_quota(std::string_view cpu_max);
// The path of the own group in the hierarchy of cgroup v2, from the text of /proc/self/cgroup; empty if it is not in
// it.
std::string group_path(std::string_view cgroup);

}  // namespace sunup::server
