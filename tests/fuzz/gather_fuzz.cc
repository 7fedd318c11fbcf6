// Files of a machine with any content, from which the facts about a node are read: the package database, release files,
// mounts, the kernel's names. They give facts or an error; a version is a version. Any log of kubelet has a reason or
// none.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"
#include "host/sim/machine.h"
#include "plan/gather.h"
#include "plan/kubelet_health.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  host::sim::World world(1);
  const auto put = [&world](const std::string& path, std::string_view text) {
    for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
      world.disk.try_emplace(path.substr(0, slash), host::sim::Node{host::FileKind::kDirectory, 0755, ""});
    world.disk[path] = host::sim::Node{host::FileKind::kRegular, 0644, std::string(text)};
  };
  world.disk["/dev"] = host::sim::Node{host::FileKind::kDirectory, 0755, ""};
  put("/dev/disk/azure/x", "");
  world.disk["/dev/disk/azure/resource-part1"] = host::sim::Node{host::FileKind::kSymlink, 0777, "../../sdb1"};
  for (const char* path : {"/var/lib/dpkg/status", "/etc/os-release", "/proc/mounts", "/proc/sys/kernel/osrelease",
                           "/proc/sys/kernel/hostname", "/proc/swaps"})
    put(path, take_until(rest, '\0'));
  put("/usr/bin/containerd", rest);
  require(plan::last_error(rest).size() <= 400, "a reason of kubelet is short");
  host::sim::Machine machine(world);
  const auto facts = plan::gather_facts(machine.host().files, {});
  require(facts.ok() || !facts.error().what.empty(), "a refusal has a reason");
  if (!facts) return 0;
  require(facts->containerd_version.find_first_not_of("0123456789.") == std::string::npos, "a version is a version");
  require(facts->hostname.find('\n') == std::string::npos, "a host name is one line");
  return 0;
}
