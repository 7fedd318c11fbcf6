#include "host/sim/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

namespace sunup::host::sim {
namespace {

using namespace std::chrono_literals;
using Kind = Core::Kind;

// A child: its effect happens when it ends. If it is killed before, it has no effect.
class Child : public Process {
 public:
  Child(Core& core, Files& files, Command command, Program& program)
      : core_(core), files_(files), command_(std::move(command)), program_(program), asked_(core.loop) {}
  static constexpr pid_t kPid = 2;
  pid_t pid() const override { return kPid; }
  Result<void> signal(int number) override {
    signal_ = number;
    return {};
  }
  bool terminate() override {
    if (ended_) return false;
    asked_.set(true);
    return true;
  }
  Task<Result<Exit>> wait() override {
    Exit exit;
    auto first = co_await first_of(core_.loop, core_.wait("run", command_.argv[0], program_.takes), asked_to_end());
    ended_ = true;
    if (first.index() == 1) {
      if (command_.on_output && !program_.last_words.empty()) command_.on_output(Stream::kOut, program_.last_words);
      exit.signal = SIGTERM;
      co_return exit;
    }
    if (auto waited = std::move(std::get<0>(first)); !waited) co_return std::move(waited).error();
    if (signal_ != 0) {
      exit.signal = signal_;
      co_return exit;
    }
    exit.out = program_.output;
    if (program_.failures > 0) {
      --program_.failures;
      exit.code = 1;
      exit.err = "not this time\n";
    } else if (program_.effect) {
      if (auto done = program_.effect(command_.argv, files_); !done) {
        exit.code = 1;
        exit.err = done.error().what + "\n";
      }
    }
    if (command_.on_output && !exit.out.empty()) command_.on_output(Stream::kOut, exit.out);
    co_return exit;
  }

 private:
  Task<bool> asked_to_end() { co_return co_await asked_; }

  Core& core_;
  Files& files_;
  Command command_;
  Program& program_;
  int signal_ = 0;
  bool ended_ = false;
  Slot<bool> asked_;
};

}  // namespace

Result<std::unique_ptr<Process>> Processes::start(Command command) {
  const std::string name = command.argv.empty() ? "" : command.argv[0];
  if (auto going = core_.operation(Kind::kOther, "spawn", name); !going) return std::move(going).error();
  if (core_.world.on_spawn) core_.world.on_spawn(command);
  const auto found = core_.world.programs.find(name);
  if (found == core_.world.programs.end()) return Error::from_errno(ENOENT, "starting " + name);
  if (command.before_it_runs) command.before_it_runs(Child::kPid);
  return std::unique_ptr<Process>(new Child(core_, files_, std::move(command), found->second));
}

Task<void> Processes::settled() {
  co_return;
}

Result<std::string> Kernel::sysctl(const std::string& name) {
  const auto found = core_.world.sysctls.find(name);
  if (found == core_.world.sysctls.end()) return Error::from_errno(ENOENT, "reading " + name);
  return found->second;
}

Result<void> Kernel::set_sysctl(const std::string& name, std::string_view value) {
  if (auto going = core_.operation(Kind::kOther, "set", name); !going) return going;
  core_.world.sysctls[name] = value;
  return {};
}

Result<bool> Kernel::module_loaded(const std::string& name) {
  if (auto going = core_.operation(Core::Kind::kRead, "look at", "/sys/module/" + name); !going)
    return std::move(going).error();
  return core_.world.modules.contains(name);
}

Task<Result<void>> Kernel::load_modules(std::vector<std::string> names) {
  for (const std::string& name : names) {
    if (auto waited = co_await core_.wait("load module", name, 3ms); !waited) co_return waited;
    core_.world.modules.insert(name);
  }
  co_return Result<void>();
}

Task<Result<void>> Kernel::unload_module(std::string name) {
  Result<void> waited = co_await core_.wait("unload module", name, 3ms);
  if (waited) core_.world.modules.erase(name);
  co_return waited;
}

Result<std::vector<Mount>> Kernel::mounts() {
  return core_.world.mounts;
}

Result<void> Kernel::mount(const Mount& mount) {
  if (auto going = core_.operation(Kind::kOther, "mount", mount.target); !going) return going;
  const auto& unmountable = core_.world.faults.unmountable;
  if (const auto found = unmountable.find(mount.type); found != unmountable.end())
    return Error::from_errno(found->second, "mounting " + mount.target);
  core_.world.mounts.push_back(mount);
  return {};
}

Result<void> Kernel::unmount(const std::string& target) {
  if (auto going = core_.operation(Kind::kOther, "unmount", target); !going) return going;
  std::erase_if(core_.world.mounts, [&](const Mount& mount) { return mount.target == target; });
  return {};
}

Task<Result<HttpReply>> Network::request(HttpRequest request) {
  const auto found = core_.world.endpoints.find(request.url);
  const Duration takes = found == core_.world.endpoints.end() ? Duration(1ms) : found->second.takes;
  const std::string what = "GET " + request.url;
  Result<void> waited = co_await within(core_.loop, request.limit, core_.wait("GET", request.url, takes), what);
  if (!waited) co_return std::move(waited).error();
  if (found == core_.world.endpoints.end() || core_.loop.now().time_since_epoch() < found->second.from)
    co_return Error::from_errno(ECONNREFUSED, what);
  HttpReply reply;
  if (found->second.failures > 0) {
    --found->second.failures;
    reply.status = 503;
    co_return reply;
  }
  if (found->second.answer) {
    reply = found->second.answer(request);
  } else {
    reply.status = found->second.status;
    reply.headers = found->second.headers;
    reply.body = found->second.body;
  }
  if (reply.body.size() > request.max_body) co_return Error(what + ": the response is too large");
  const Duration open = found->second.open;
  const bool cut = found->second.cuts > 0;
  if (cut) --found->second.cuts;
  if (request.on_body && reply.status / 100 == 2) {
    const std::string body = std::exchange(reply.body, {});
    const size_t half = body.size() / 2;
    for (const std::string_view piece : {std::string_view(body).substr(0, half), std::string_view(body).substr(half)}) {
      if (auto taken = request.on_body(reply, piece); !taken) co_return std::move(taken).error();
      if (cut) break;
    }
  }
  if (cut) co_return Error::from_errno(ECONNRESET, what);
  if (open > Duration::zero()) {
    waited = co_await within(core_.loop, request.limit - takes, core_.wait("more of", request.url, open), what);
    if (!waited) co_return std::move(waited).error();
  }
  co_return reply;
}

Task<Result<std::vector<std::string>>> Network::lookup(std::string name) {
  if (auto waited = co_await core_.wait("look up", name, 1ms); !waited) co_return std::move(waited).error();
  const auto found = core_.world.names.find(name);
  if (found == core_.world.names.end()) co_return Error::from_errno(ENOENT, "no address for " + name);
  co_return found->second;
}

Task<Result<void>> Network::connects(std::string host, uint16_t port) {
  Result<std::vector<std::string>> found = co_await lookup(host);
  if (!found) co_return std::move(found).error();
  co_return co_await core_.wait("connect to", fmt::format("{}:{}", host, port), 1ms);
}

Task<Result<TlsPeer>> Network::handshakes(std::string host, uint16_t port, std::string ca_file) {
  if (auto connected = co_await connects(host, port); !connected) co_return std::move(connected).error();
  TlsPeer peer;
  peer.version = "TLSv1.3";
  peer.subject = "/CN=" + host;
  peer.verified = !ca_file.empty();
  co_return peer;
}

Task<Result<void>> Network::send(std::string socket, std::string datagram) {
  Result<void> waited = co_await core_.wait("send to", socket, 100us);
  if (waited) core_.world.datagrams.emplace_back(std::move(socket), std::move(datagram));
  co_return waited;
}

Task<Result<void>> Watch::path_appears(std::string path) {
  if (auto going = core_.operation(Kind::kOther, "watch", path); !going) co_return going;
  if (core_.world.disk.contains(path)) co_return Result<void>();
  Slot<bool> appeared(core_.loop);
  core_.waiting_for_path[path].push_back(appeared);
  co_await appeared;
  co_return core_.operation(Kind::kOther, "end of watch", path);
}

Task<Result<void>> Watch::path_differs(std::string path, std::function<bool()> differs) {
  while (true) {
    if (Result<void> going = core_.operation(Kind::kOther, "watch", path); !going) co_return going;
    if (differs()) co_return Result<void>();
    Slot<bool> put(core_.loop);
    core_.waiting_for_path[path].push_back(put);
    co_await put;
  }
}

Task<Result<void>> Watch::socket_accepts(std::string address) {
  return path_appears(std::move(address));
}

Task<Result<void>> Watch::process_ends(pid_t pid, uint64_t) {
  co_return core_.operation(Kind::kOther, "end of process", std::to_string(pid));
}

Task<Result<void>> Watch::file_is_written(std::string path) {
  if (const auto found = core_.world.being_written.find(path); found != core_.world.being_written.end()) {
    co_await core_.loop.at(TimePoint(found->second.until));
    // Another program may have removed the file meanwhile.
    if (const auto file = core_.world.disk.find(path); file != core_.world.disk.end()) {
      Node node = file->second;
      node.content = found->second.content;
      core_.put(path, std::move(node));
    }
    core_.world.being_written.erase(path);
  }
  co_return core_.operation(Kind::kOther, "end of writing", path);
}

Task<Result<void>> Watch::hostname_is_final() {
  co_await core_.loop.at(TimePoint(core_.world.hostname_final_from));
  co_return core_.operation(Kind::kOther, "final host name", "");
}

Task<Result<void>> Watch::address_appears(std::string address) {
  co_return core_.operation(Kind::kOther, "address", address);
}

Task<Result<void>> Watch::any_address() {
  co_await core_.loop.at(TimePoint(core_.world.address_from));
  co_return core_.operation(Kind::kOther, "address", "any");
}

namespace {

class PlannedLinkChanges : public LinkChanges {
 public:
  explicit PlannedLinkChanges(Core& core) : core_(core), since_(core.loop.now()) {}
  Task<Result<LinkChange>> next() override {
    if (auto going = core_.operation(Kind::kOther, "watch", "links"); !going) co_return std::move(going).error();
    const auto& planned = core_.world.link_changes;
    while (at_ < planned.size() && TimePoint(planned[at_].first) < since_) ++at_;
    if (at_ == planned.size()) {
      Slot<bool> never(core_.loop);
      co_await never;
    }
    const auto [when, change] = planned[at_];
    co_await core_.loop.at(TimePoint(when));
    ++at_;
    if (auto going = core_.operation(Kind::kOther, "change of link", change.name); !going)
      co_return std::move(going).error();
    co_return change;
  }

 private:
  Core& core_;
  const TimePoint since_;
  size_t at_ = 0;
};

}  // namespace

Result<std::unique_ptr<LinkChanges>> Watch::link_changes() {
  if (auto going = core_.operation(Kind::kOther, "listen for", "links"); !going) return std::move(going).error();
  return std::unique_ptr<LinkChanges>(new PlannedLinkChanges(core_));
}

Task<int> Watch::termination() {
  if (core_.world.faults.terminate_after > Duration::zero()) {
    co_await core_.loop.at(started_ + core_.world.faults.terminate_after);
    co_return SIGTERM;
  }
  Slot<int> never(core_.loop);
  co_return co_await never;
}

Task<void> Work::run(std::function<void()> function) {
  Result<void> waited = co_await core_.wait("work", "", 1ms);
  if (waited) function();
  if (!waited) {
    Slot<bool> never(core_.loop);  // the process is dead: there is no reply
    co_await never;
  }
}

Machine::Machine(World& world)
    : core_(world),
      files_(core_),
      processes_(core_, files_),
      units_(core_),
      kernel_(core_),
      network_(core_),
      watch_(core_),
      work_(core_),
      host_{.loop = core_.loop,
            .files = files_,
            .processes = processes_,
            .units = units_,
            .kernel = kernel_,
            .network = network_,
            .watch = watch_,
            .work = work_,
            .boot_id = world.boot_id()} {}

}  // namespace sunup::host::sim
