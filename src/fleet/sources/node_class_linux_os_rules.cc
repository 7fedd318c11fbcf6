// The rules of AKSNodeClass spec.linuxOSConfig.
#include <charconv>
#include <functional>

#include "fleet/sources/conditions.h"
#include "fleet/sources/node_class_rules.h"
#include "fleet/sources/patterns.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

bool is_port_range(std::string_view text) {
  const size_t space = text.find(' ');
  const auto number = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == part.npos;
  };
  return space != text.npos && number(text.substr(0, space)) && number(text.substr(space + 1));
}
constexpr Pattern kPortRange{is_port_range, "^\\d+ \\d+$"};

// The two ports of the range, if it is set.
struct Ports {
  int64_t first = 1024;
  int64_t last = 65535;
};
Ports ports(const json& self) {
  Ports result;
  const std::string text = text_of(self, "netIPv4IPLocalPortRange");
  const size_t space = text.find(' ');
  if (space == text.npos) return result;
  const char* end = text.data() + text.size();
  if (std::from_chars(text.data(), text.data() + space, result.first).ec != std::errc{}) result.first = -1;
  if (std::from_chars(text.data() + space + 1, end, result.last).ec != std::errc{}) result.last = -1;
  return result;
}

constexpr Property sysctl(std::string_view name, int64_t min, int64_t max) {
  return {.name = name, .shape = Shape::kInt, .min = min, .max = max};
}
constexpr Property kSysctlFields[] = {
    sysctl("fsAioMaxNr", 65536, 6553500),
    sysctl("fsFileMax", 8192, 12000500),
    sysctl("fsInotifyMaxUserWatches", 781250, 2097152),
    sysctl("fsNrOpen", 8192, 20000500),
    sysctl("kernelThreadsMax", 20, 513785),
    sysctl("netCoreNetdevMaxBacklog", 1000, 3240000),
    sysctl("netCoreOptmemMax", 20480, 4194304),
    sysctl("netCoreRmemDefault", 212992, 134217728),
    sysctl("netCoreRmemMax", 212992, 134217728),
    sysctl("netCoreSomaxconn", 4096, 3240000),
    sysctl("netCoreWmemDefault", 212992, 134217728),
    sysctl("netCoreWmemMax", 212992, 134217728),
    {.name = "netIPv4IPLocalPortRange", .pattern = &kPortRange},
    sysctl("netIPv4NeighDefaultGcThresh1", 128, 80000),
    sysctl("netIPv4NeighDefaultGcThresh2", 512, 90000),
    sysctl("netIPv4NeighDefaultGcThresh3", 1024, 100000),
    sysctl("netIPv4TCPFinTimeout", 5, 120),
    sysctl("netIPv4TCPKeepaliveIntvl", 10, 90),
    sysctl("netIPv4TCPKeepaliveProbes", 1, 15),
    sysctl("netIPv4TCPKeepaliveTime", 30, 432000),
    sysctl("netIPv4TCPMaxSynBacklog", 128, 3240000),
    sysctl("netIPv4TCPMaxTwBuckets", 8000, 1440000),
    {.name = "netIPv4TCPTwReuse", .shape = Shape::kBool},
    sysctl("netNetfilterNfConntrackBuckets", 65536, 524288),
    sysctl("netNetfilterNfConntrackMax", 131072, 2097152),
    sysctl("vmMaxMapCount", 65530, 262144),
    sysctl("vmSwappiness", 0, 100),
    sysctl("vmVfsCachePressure", 0, 100),
};
constexpr Condition kSysctlConditions[] = {
    {"netCoreRmemDefault must be <= netCoreRmemMax",
     [](const json& s) { return ordered(s, "netCoreRmemDefault", "netCoreRmemMax", std::less_equal<>{}); },
     "netCoreRmemDefault"},
    {"netCoreWmemDefault must be <= netCoreWmemMax",
     [](const json& s) { return ordered(s, "netCoreWmemDefault", "netCoreWmemMax", std::less_equal<>{}); },
     "netCoreWmemDefault"},
    {"netIPv4NeighDefaultGcThresh1 must be <= netIPv4NeighDefaultGcThresh2",
     [](const json& s) {
       return ordered(s, "netIPv4NeighDefaultGcThresh1", "netIPv4NeighDefaultGcThresh2", std::less_equal<>{});
     },
     "netIPv4NeighDefaultGcThresh1"},
    {"netIPv4NeighDefaultGcThresh2 must be <= netIPv4NeighDefaultGcThresh3",
     [](const json& s) {
       return ordered(s, "netIPv4NeighDefaultGcThresh2", "netIPv4NeighDefaultGcThresh3", std::less_equal<>{});
     },
     "netIPv4NeighDefaultGcThresh2"},
    {"netIPv4NeighDefaultGcThresh1 must be <= netIPv4NeighDefaultGcThresh3",
     [](const json& s) {
       return s.contains("netIPv4NeighDefaultGcThresh2") ||
              ordered(s, "netIPv4NeighDefaultGcThresh1", "netIPv4NeighDefaultGcThresh3", std::less_equal<>{});
     },
     "netIPv4NeighDefaultGcThresh1"},
    {"netIPv4IPLocalPortRange first port must be in [1024, 60999]",
     [](const json& s) { return ports(s).first >= 1024 && ports(s).first <= 60999; }, "netIPv4IPLocalPortRange"},
    {"netIPv4IPLocalPortRange last port must be in [32768, 65535]",
     [](const json& s) { return ports(s).last >= 32768 && ports(s).last <= 65535; }, "netIPv4IPLocalPortRange"},
    {"netIPv4IPLocalPortRange first port must be <= last port",
     [](const json& s) { return ports(s).first <= ports(s).last; }, "netIPv4IPLocalPortRange"},
};
constexpr Object kSysctls{.fields = kSysctlFields, .conditions = kSysctlConditions};
constexpr Property kLinuxFields[] = {
    {.name = "swapFileSize", .pattern = &kLogSize},
    {.name = "sysctls", .shape = Shape::kObject, .object = &kSysctls},
    {.name = "transparentHugePageEnabled", .one_of = "always|madvise|never"},
    {.name = "transparentHugePageDefrag", .one_of = "always|defer|defer+madvise|madvise|never"},
};

}  // namespace

const Object kLinuxOsConfigObject{.fields = kLinuxFields};

}  // namespace sunup::fleet
