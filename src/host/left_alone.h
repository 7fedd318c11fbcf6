// A machine whose units, kernel, network and programs are not touched, for `--root DIR`. Operations that would change
// them are recorded and count as done; operations that would read them fail with ENOTSUP.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/kernel.h"
#include "host/network.h"
#include "host/processes.h"
#include "host/units.h"

namespace sunup::host {

class LeftAlone : public Units, public Kernel, public Network, public Processes {
 public:
  const std::vector<std::string>& skipped() const { return skipped_; }  // "start unit containerd.service", in order

  Task<Result<void>> reload() override { co_return skip("reload the unit files"); }
  Task<Result<void>> enable(std::vector<std::string> units) override {
    co_return skip(fmt::format("enable {}", fmt::join(units, " ")));
  }
  Task<Result<void>> disable(std::vector<std::string> units) override {
    co_return skip(fmt::format("disable {}", fmt::join(units, " ")));
  }
  Task<Result<void>> mask(std::vector<std::string> units) override {
    co_return skip(fmt::format("mask {}", fmt::join(units, " ")));
  }
  Task<Result<void>> unmask(std::vector<std::string> units) override {
    co_return skip(fmt::format("unmask {}", fmt::join(units, " ")));
  }
  Task<Result<void>> start(std::string unit, JobWait) override { co_return skip("start unit " + unit); }
  Task<Result<void>> restart(std::string unit, JobWait) override { co_return skip("restart unit " + unit); }
  Task<Result<void>> stop(std::string unit, JobWait) override { co_return skip("stop unit " + unit); }
  Task<Result<bool>> is_loaded(std::string unit) override { co_return unknown("state of unit " + unit); }
  Task<Result<UnitState>> state(std::string unit) override { co_return unknown("state of unit " + unit); }
  Task<Result<UnitState>> next_change(std::string unit, UnitState) override {
    co_return unknown("state of unit " + unit);
  }
  Task<Result<uint64_t>> main_started(std::string service) override {
    co_return unknown("start time of unit " + service);
  }
  Task<Result<BootTimes>> boot_times() override { co_return unknown("boot times"); }
  Task<Result<bool>> machine_stops() override { co_return unknown("whether the machine goes down"); }

  Result<std::string> sysctl(const std::string& name) override { return unknown("kernel setting " + name); }
  Result<void> set_sysctl(const std::string& name, std::string_view value) override {
    return skip(fmt::format("set {} = {}", name, value));
  }
  Result<bool> module_loaded(const std::string&) override { return false; }
  Task<Result<void>> load_modules(std::vector<std::string> names) override {
    co_return skip(fmt::format("load modules {}", fmt::join(names, " ")));
  }
  Task<Result<void>> unload_module(std::string name) override { co_return skip("unload module " + name); }
  Result<std::vector<Mount>> mounts() override { return std::vector<Mount>(); }
  Result<void> mount(const Mount& mount) override {
    return skip(fmt::format("mount {} on {}", mount.source, mount.target));
  }
  Result<void> unmount(const std::string& target) override { return skip("unmount " + target); }

  Task<Result<HttpReply>> request(HttpRequest request) override { co_return unknown("GET " + request.url); }
  Task<Result<std::vector<std::string>>> lookup(std::string name) override {
    co_return unknown("addresses of " + name);
  }
  Task<Result<void>> connects(std::string host, uint16_t port) override {
    co_return skip(fmt::format("connect to {}:{}", host, port));
  }
  Task<Result<TlsPeer>> handshakes(std::string host, uint16_t port, std::string) override {
    co_return unknown(fmt::format("certificate of {}:{}", host, port));
  }
  Task<Result<void>> send(std::string socket, std::string) override { co_return skip("send to " + socket); }

  Result<std::unique_ptr<Process>> start(Command command) override {
    (void)skip(fmt::format("run {}", command.argv.empty() ? "" : command.argv[0]));
    return std::unique_ptr<Process>(new NotStarted);
  }
  Task<void> settled() override { co_return; }

 private:
  class NotStarted : public Process {
   public:
    pid_t pid() const override { return 0; }
    Result<void> signal(int) override { return {}; }
    bool terminate() override { return false; }
    Task<Result<Exit>> wait() override { co_return Exit{}; }
  };

  Result<void> skip(std::string what) {
    skipped_.push_back(std::move(what));
    return {};
  }
  Error unknown(std::string what) {
    Error error(what + ": not queried, the machine is not accessed");
    error.os_errno = ENOTSUP;
    skipped_.push_back(std::move(what));
    return error;
  }
  std::vector<std::string> skipped_;
};

}  // namespace sunup::host
