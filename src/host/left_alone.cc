#include "host/left_alone.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>

namespace sunup::host {
namespace {

class NotStarted : public Process {
 public:
  pid_t pid() const override { return 0; }
  Result<void> signal(int) override { return {}; }
  bool terminate() override { return false; }
  Task<Result<Exit>> wait() override { co_return Exit{}; }
};

}  // namespace

Result<void> LeftAlone::skip(std::string what) {
  skipped_.push_back(std::move(what));
  return {};
}

Error LeftAlone::unknown(std::string what) {
  Error error(what + ": not queried, the machine is not accessed");
  error.os_errno = ENOTSUP;
  skipped_.push_back(std::move(what));
  return error;
}

Task<Result<void>> LeftAlone::reload() {
  co_return skip("reload the unit files");
}
Task<Result<void>> LeftAlone::enable(std::vector<std::string> units) {
  co_return skip(fmt::format("enable {}", fmt::join(units, " ")));
}
Task<Result<void>> LeftAlone::disable(std::vector<std::string> units) {
  co_return skip(fmt::format("disable {}", fmt::join(units, " ")));
}
Task<Result<void>> LeftAlone::mask(std::vector<std::string> units) {
  co_return skip(fmt::format("mask {}", fmt::join(units, " ")));
}
Task<Result<void>> LeftAlone::unmask(std::vector<std::string> units) {
  co_return skip(fmt::format("unmask {}", fmt::join(units, " ")));
}
Task<Result<void>> LeftAlone::start(std::string unit, JobWait) {
  co_return skip("start unit " + unit);
}
Task<Result<void>> LeftAlone::restart(std::string unit, JobWait) {
  co_return skip("restart unit " + unit);
}
Task<Result<void>> LeftAlone::stop(std::string unit, JobWait) {
  co_return skip("stop unit " + unit);
}
Task<Result<bool>> LeftAlone::is_loaded(std::string unit) {
  co_return unknown("state of unit " + unit);
}
Task<Result<UnitState>> LeftAlone::state(std::string unit) {
  co_return unknown("state of unit " + unit);
}
Task<Result<UnitState>> LeftAlone::next_change(std::string unit, UnitState) {
  co_return unknown("state of unit " + unit);
}

Task<Result<uint64_t>> LeftAlone::main_started(std::string service) {
  co_return unknown("start time of unit " + service);
}
Task<Result<BootTimes>> LeftAlone::boot_times() {
  co_return unknown("boot times");
}
Task<Result<bool>> LeftAlone::machine_stops() {
  co_return unknown("whether the machine goes down");
}

Result<std::string> LeftAlone::sysctl(const std::string& name) {
  return unknown("kernel setting " + name);
}
Result<void> LeftAlone::set_sysctl(const std::string& name, std::string_view value) {
  return skip(fmt::format("set {} = {}", name, value));
}
Result<bool> LeftAlone::module_loaded(const std::string&) {
  return false;
}
Task<Result<void>> LeftAlone::load_modules(std::vector<std::string> names) {
  co_return skip(fmt::format("load modules {}", fmt::join(names, " ")));
}
Task<Result<void>> LeftAlone::unload_module(std::string name) {
  co_return skip("unload module " + name);
}
Result<std::vector<Mount>> LeftAlone::mounts() {
  return std::vector<Mount>();
}
Result<void> LeftAlone::mount(const Mount& mount) {
  return skip(fmt::format("mount {} on {}", mount.source, mount.target));
}
Result<void> LeftAlone::unmount(const std::string& target) {
  return skip("unmount " + target);
}

Task<Result<HttpReply>> LeftAlone::request(HttpRequest request) {
  co_return unknown("GET " + request.url);
}
Task<Result<std::vector<std::string>>> LeftAlone::lookup(std::string name) {
  co_return unknown("addresses of " + name);
}
Task<Result<void>> LeftAlone::connects(std::string host, uint16_t port) {
  co_return skip(fmt::format("connect to {}:{}", host, port));
}
Task<Result<TlsPeer>> LeftAlone::handshakes(std::string host, uint16_t port, std::string) {
  co_return unknown(fmt::format("certificate of {}:{}", host, port));
}
Task<Result<void>> LeftAlone::send(std::string socket, std::string) {
  co_return skip("send to " + socket);
}

Result<std::unique_ptr<Process>> LeftAlone::start(Command command) {
  (void)skip(fmt::format("run {}", command.argv.empty() ? "" : command.argv[0]));
  return std::unique_ptr<Process>(new NotStarted);
}
Task<void> LeftAlone::settled() {
  co_return;
}

}  // namespace sunup::host
