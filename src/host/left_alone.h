// A machine whose units, kernel, network and programs are not touched, for `--root DIR`. Operations that would change
// them are recorded and count as done; operations that would read them fail with ENOTSUP.
#pragma once

#include <string>
#include <vector>

#include "host/kernel.h"
#include "host/network.h"
#include "host/processes.h"
#include "host/units.h"

namespace sunup::host {

class LeftAlone : public Units, public Kernel, public Network, public Processes {
 public:
  const std::vector<std::string>& skipped() const { return skipped_; }  // "start unit containerd.service", in order

  Task<Result<void>> reload() override;
  Task<Result<void>> enable(std::vector<std::string> units) override;
  Task<Result<void>> disable(std::vector<std::string> units) override;
  Task<Result<void>> mask(std::vector<std::string> units) override;
  Task<Result<void>> unmask(std::vector<std::string> units) override;
  Task<Result<void>> start(std::string unit, JobWait wait) override;
  Task<Result<void>> restart(std::string unit, JobWait wait) override;
  Task<Result<void>> stop(std::string unit, JobWait wait) override;
  Task<Result<bool>> is_loaded(std::string unit) override;
  Task<Result<UnitState>> state(std::string unit) override;
  Task<Result<UnitState>> next_change(std::string unit, UnitState known) override;
  Task<Result<uint64_t>> main_started(std::string service) override;
  Task<Result<BootTimes>> boot_times() override;
  Task<Result<bool>> machine_stops() override;

  Result<std::string> sysctl(const std::string& name) override;
  Result<void> set_sysctl(const std::string& name, std::string_view value) override;
  Result<bool> module_loaded(const std::string& name) override;
  Task<Result<void>> load_modules(std::vector<std::string> names) override;
  Task<Result<void>> unload_module(std::string name) override;
  Result<std::vector<Mount>> mounts() override;
  Result<void> mount(const Mount& mount) override;
  Result<void> unmount(const std::string& target) override;

  Task<Result<HttpReply>> request(HttpRequest request) override;
  Task<Result<std::vector<std::string>>> lookup(std::string name) override;
  Task<Result<void>> connects(std::string host, uint16_t port) override;
  Task<Result<TlsPeer>> handshakes(std::string host, uint16_t port, std::string ca_file) override;
  Task<Result<void>> send(std::string socket, std::string datagram) override;

  Result<std::unique_ptr<Process>> start(Command command) override;
  Task<void> settled() override;

 private:
  Result<void> skip(std::string what);
  Error unknown(std::string what);
  std::vector<std::string> skipped_;
};

}  // namespace sunup::host
