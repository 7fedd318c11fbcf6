// The running kernel of the real machine.
#pragma once

#include "host/files.h"
#include "host/kernel.h"
#include "host/processes.h"

namespace sunup::host::real {

class Kernel : public host::Kernel {
 public:
  Kernel(host::Files& files, host::Processes& processes) : files_(files), processes_(processes) {}

  Result<std::string> sysctl(const std::string& name) override;
  Result<void> set_sysctl(const std::string& name, std::string_view value) override;
  Result<bool> module_loaded(const std::string& name) override;
  Task<Result<void>> load_modules(std::vector<std::string> names) override;
  Task<Result<void>> unload_module(std::string name) override;
  Result<std::vector<Mount>> mounts() override;
  Result<void> mount(const Mount& mount) override;
  Result<void> unmount(const std::string& target) override;

 private:
  host::Files& files_;
  host::Processes& processes_;
};

}  // namespace sunup::host::real
