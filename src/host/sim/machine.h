// One process on the simulated machine, with everything that it can access, until it ends or is killed. See world.h.
#pragma once

#include "host/host.h"
#include "host/sim/core.h"
#include "host/sim/files.h"
#include "host/sim/units.h"

namespace sunup::host::sim {

class Processes : public host::Processes {
 public:
  Processes(Core& core, Files& files) : core_(core), files_(files) {}
  Result<std::unique_ptr<Process>> start(Command command) override;
  Task<void> settled() override;

 private:
  Core& core_;
  Files& files_;
};

class Kernel : public host::Kernel {
 public:
  explicit Kernel(Core& core) : core_(core) {}
  Result<std::string> sysctl(const std::string& name) override;
  Result<void> set_sysctl(const std::string& name, std::string_view value) override;
  Result<bool> module_loaded(const std::string& name) override;
  Task<Result<void>> load_modules(std::vector<std::string> names) override;
  Task<Result<void>> unload_module(std::string name) override;
  Result<std::vector<Mount>> mounts() override;
  Result<void> mount(const Mount& mount) override;
  Result<void> unmount(const std::string& target) override;

 private:
  Core& core_;
};

class Network : public host::Network {
 public:
  explicit Network(Core& core) : core_(core) {}
  Task<Result<HttpReply>> request(HttpRequest request) override;
  Task<Result<std::vector<std::string>>> lookup(std::string name) override;
  Task<Result<void>> connects(std::string host, uint16_t port) override;
  Task<Result<TlsPeer>> handshakes(std::string host, uint16_t port, std::string ca_file) override;
  Task<Result<void>> send(std::string socket, std::string datagram) override;

 private:
  Core& core_;
};

class Watch : public host::Watch {
 public:
  explicit Watch(Core& core) : core_(core), started_(core.loop.now()) {}
  Task<Result<void>> path_appears(std::string path) override;
  Task<Result<void>> path_differs(std::string path, std::function<bool()> differs) override;
  Task<Result<void>> socket_accepts(std::string address) override;
  // The simulated machine runs only one process of this program at a time, so every other one has ended.
  Task<Result<void>> process_ends(pid_t pid, uint64_t start_ticks) override;
  Task<Result<void>> file_is_written(std::string path) override;
  Task<Result<void>> hostname_is_final() override;
  Task<Result<void>> address_appears(std::string address) override;  // all addresses are present
  Task<Result<void>> any_address() override;                         // from World::address_from on
  Result<std::unique_ptr<LinkChanges>> link_changes() override;      // those of World::link_changes
  Task<int> termination() override;

 private:
  Core& core_;
  TimePoint started_;
};

class Work : public host::Work {
 public:
  explicit Work(Core& core) : core_(core) {}
  Task<void> run(std::function<void()> function) override;

 private:
  Core& core_;
};

class Machine {
 public:
  explicit Machine(World& world);
  ~Machine() { core_.world.process_ended(core_.loop.now()); }

  Loop& loop() { return core_.loop; }
  Host& host() { return host_; }

 private:
  Core core_;
  Files files_;
  Processes processes_;
  Units units_;
  Kernel kernel_;
  Network network_;
  Watch watch_;
  Work work_;
  Host host_;
};

}  // namespace sunup::host::sim
