// The running kernel: settings, modules, mounts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/task.h"

namespace sunup::host {

struct Mount {
  std::string source;
  std::string target;
  std::string type;     // "ext4", "tmpfs" ...; empty for a bind mount
  std::string options;  // "rw,noexec", "bind", "size=1m"; as in /etc/fstab
};

class Kernel {
 public:
  virtual ~Kernel() = default;

  virtual Result<std::string> sysctl(const std::string& name) = 0;  // "net.ipv4.ip_forward"; without the line end
  virtual Result<void> set_sysctl(const std::string& name, std::string_view value) = 0;

  virtual Result<bool> module_loaded(const std::string& name) = 0;  // or built in
  // Loads those that are not loaded yet, with at most one process.
  virtual Task<Result<void>> load_modules(std::vector<std::string> names) = 0;
  virtual Task<Result<void>> unload_module(std::string name) = 0;  // no error if it is not loaded

  virtual Result<std::vector<Mount>> mounts() = 0;
  virtual Result<void> mount(const Mount& mount) = 0;
  virtual Result<void> unmount(const std::string& target) = 0;  // no error if nothing is mounted there
};

}  // namespace sunup::host
