// Checks host/real with a real systemd: run it as root inside a container or machine that has one.
//
//   systemd-probe units             starts, breaks, enables and watches temporary units; one line per check
//   systemd-probe latency [N]       the delay between the activation of a unit and the waiting task (N starts)
//   systemd-probe all               both
//
// Exit code 0 if every check passed. All its files are below /run (sunup-probe-*) and are removed at the end.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "host/real/machine.h"

namespace sunup {
namespace {

using namespace std::chrono_literals;
using host::Host;
using host::JobWait;
using host::Task;
using host::UnitState;

constexpr const char* kUnits = "/run/systemd/system/";
constexpr const char* kGate = "/run/sunup-probe-gate";  // a pipe: its unit is active when a line is written to it
int failures = 0;

void check(bool held, const std::string& what, const std::string& seen = "") {
  fmt::print("{} {}{}\n", held ? "ok    " : "FAILED", what, held || seen.empty() ? "" : ": " + seen);
  if (!held) ++failures;
}

void write_units(Host& host) {
  auto unit = [&](const std::string& name, const std::string& service, const std::string& relations = "") {
    const std::string text = "[Unit]\nDescription=Sunup probe\nStartLimitIntervalSec=0\n" + relations + "[Service]\n" +
                             service + "[Install]\nWantedBy=multi-user.target\n";
    if (auto written = host.files.write(kUnits + name, text); !written)
      check(false, "write unit", written.error().what);
  };
  unit("sunup-probe-ok.service", "Type=exec\nExecStart=/bin/sleep 1000\n");
  unit("sunup-probe-bad.service", "Type=oneshot\nExecStart=/bin/false\n");
  unit("sunup-probe-slow.service", "Type=oneshot\nRemainAfterExit=yes\nExecStart=/bin/sleep 0.3\n");
  unit("sunup-probe-gated.service",
       fmt::format("Type=oneshot\nRemainAfterExit=yes\nExecStart=/bin/sh -c 'read line <{}'\n", kGate));
  unit("sunup-probe-quick.service", "Type=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n");
  unit("sunup-probe-beside.service", "Type=exec\nExecStart=/bin/sleep 1000\n",
       "Wants=sunup-probe-gated.service\nAfter=sunup-probe-gated.service sunup-probe-slow.service\n");
  unit("sunup-probe-needs.service", "Type=exec\nExecStart=/bin/sleep 1000\n",
       "Requires=sunup-probe-quick.service\nAfter=sunup-probe-gated.service sunup-probe-quick.service\n");
}

Task<Result<void>> remove_units(Host& host) {
  for (const char* name : {"ok", "bad", "slow", "gated", "quick", "beside", "needs"}) {
    const std::string unit = fmt::format("sunup-probe-{}.service", name);
    (void)co_await host.units.stop(unit);
    (void)host.files.remove(kUnits + unit);
  }
  co_return co_await host.units.reload();
}

std::string text_of(const Result<void>& result) {
  return result ? "success" : result.error().what;
}

// As in an update of the systemd package: every connection to it ends.
Task<Result<void>> reexecute(Host& host) {
  auto done = host.processes.run(host::command("systemctl", "daemon-reexec").with_limit(30s));
  const Result<host::Exit> exit = co_await std::move(done);
  if (!exit) co_return exit.error();
  co_return exit->ok() ? Result<void>() : Result<void>(exit->as_error("systemctl"));
}

Task<Result<void>> restart_and_look(Host& host, std::string unit) {
  Result<void> started = co_await host.units.restart(unit);
  // A later request replaces its job.
  if (!started && started.error().what.find("canceled") == std::string::npos) co_return started;
  Result<UnitState> up = co_await host.units.becomes_active(unit);
  if (!up) co_return std::move(up).error();
  co_return Result<void>();
}

Task<std::string> active(Host& host, std::string unit) {
  const Result<UnitState> state = co_await host.units.state(unit);
  co_return state ? state->active : state.error().what;
}

// A start beside the gated unit: it becomes active before the gate is opened, unless another order or requirement
// prevents it.
Task<Result<void>> keeps_other_orders(Host& host, int gate) {
  Result<void> queued = co_await host.units.restart("sunup-probe-gated.service", JobWait::kQueued);
  if (!queued) co_return queued;
  auto beside = host.units.start_beside("sunup-probe-beside.service", "sunup-probe-gated.service");
  Result<void> early = co_await host::within(host.loop, 20s, std::move(beside), "a start beside another");
  std::string gated = co_await active(host, "sunup-probe-gated.service");
  check(early && gated == "activating", "a start beside another does not wait for it", text_of(early) + ", " + gated);

  if (Result<void> stopped = co_await host.units.stop("sunup-probe-beside.service"); !stopped) co_return stopped;
  if (queued = co_await host.units.restart("sunup-probe-slow.service", JobWait::kQueued); !queued) co_return queued;
  if (::write(gate, "go\n", 3) != 3) co_return Error::from_errno(errno, "opening the gate");
  Result<void> ordered = co_await host.units.start_beside("sunup-probe-beside.service", "sunup-probe-gated.service");
  const std::string slow = co_await active(host, "sunup-probe-slow.service");
  check(ordered && slow == "active", "but for any other unit that it comes after", text_of(ordered) + ", " + slow);

  if (queued = co_await host.units.restart("sunup-probe-gated.service", JobWait::kQueued); !queued) co_return queued;
  if (::write(gate, "go\n", 3) != 3) co_return Error::from_errno(errno, "opening the gate");
  Result<void> needing = co_await host.units.start_beside("sunup-probe-needs.service", "sunup-probe-gated.service");
  const std::string quick = co_await active(host, "sunup-probe-quick.service");
  check(needing && quick == "active", "and what it needs is started with it", text_of(needing) + ", " + quick);

  for (const char* name : {"sunup-probe-gated.service", "sunup-probe-beside.service"})
    if (Result<void> stopped = co_await host.units.stop(name); !stopped) co_return stopped;
  if (::write(gate, "go\n", 3) != 3) co_return Error::from_errno(errno, "opening the gate");
  Result<void> wanting = co_await host.units.start_beside("sunup-probe-beside.service", "sunup-probe-gated.service");
  gated = co_await active(host, "sunup-probe-gated.service");
  check(wanting && gated == "active", "and the other one, too, if nobody has asked for it",
        text_of(wanting) + ", " + gated);
  co_return Result<void>();
}

Task<Result<void>> units(Host& host) {
  write_units(host);
  Result<void> reloaded = co_await host.units.reload();
  check(reloaded.ok(), "reload reads the unit files", text_of(reloaded));

  Result<void> started = co_await host.units.start("sunup-probe-ok.service");
  check(started.ok(), "a good unit starts", text_of(started));
  Result<UnitState> state = co_await host.units.state("sunup-probe-ok.service");
  check(state && state->is_active() && state->active_since_us > 0, "and is active", state ? state->active : "?");

  Result<void> bad = co_await host.units.start("sunup-probe-bad.service");
  check(!bad && bad.error().what.find("sunup-probe-bad.service") != std::string::npos &&
            bad.error().what.find("exit-code") != std::string::npos,
        "a broken unit is an error that names it and its result", text_of(bad));

  Result<void> none = co_await host.units.start("sunup-probe-none.service");
  check(!none && none.error().os_errno == ENOENT, "a unit that does not exist is an error at once", text_of(none));
  Result<UnitState> nothing = co_await host.units.state("sunup-probe-none.service");
  check(nothing && !nothing->exists(), "and its state says so");

  ::unlink(kGate);  // left by a probe that was killed
  const bool has_gate = ::mkfifo(kGate, 0600) == 0;
  // Both ends, so that neither open nor write blocks.
  const int gate = has_gate ? ::open(kGate, O_RDWR | O_CLOEXEC) : -1;
  if (gate < 0) co_return Error::from_errno(errno, "making " + std::string(kGate));
  Result<void> queued = co_await host.units.restart("sunup-probe-gated.service", JobWait::kQueued);
  Result<UnitState> early = co_await host.units.state("sunup-probe-gated.service");
  check(queued && early && !early->is_active(), "a queued start comes back before the unit is up",
        early ? early->active : text_of(queued));
  const bool opened = ::write(gate, "go\n", 3) == 3;
  Result<UnitState> up = co_await host.units.becomes_active("sunup-probe-gated.service");
  check(opened && up && up->is_active(), "and its changes are events", up ? up->active : up.error().what);
  Result<void> kept = co_await keeps_other_orders(host, gate);
  check(kept.ok(), "starts beside another unit", text_of(kept));
  ::close(gate);
  ::unlink(kGate);

  std::vector<std::string> names = {"sunup-probe-ok.service"};
  Result<void> masked = co_await host.units.mask(names);
  if (masked) masked = co_await host.units.reload();  // until then the manager uses what it has read
  Result<void> refused = co_await host.units.restart("sunup-probe-ok.service");
  check(masked && !refused, "a masked unit does not start", masked ? text_of(refused) : text_of(masked));
  Result<void> unmasked = co_await host.units.unmask(names);
  if (unmasked) unmasked = co_await host.units.reload();
  check(unmasked.ok(), "until it is unmasked", text_of(unmasked));

  Result<UnitState> running = co_await host.units.state("sunup-probe-ok.service");
  Result<void> stopped = co_await host.units.stop("sunup-probe-ok.service");
  Result<UnitState> after = co_await host.units.next_change("sunup-probe-ok.service", *running);
  check(stopped && after && after->active == "inactive", "a stopped unit is inactive", after ? after->active : "?");

  std::vector<Task<Result<void>>> meanwhile;
  meanwhile.push_back(reexecute(host));
  for (int i = 0; i < 5; ++i) meanwhile.push_back(restart_and_look(host, "sunup-probe-slow.service"));
  Result<void> across = co_await host::within(host.loop, 60s, host::all(host.loop, std::move(meanwhile)), "starts");
  check(across.ok(), "starts and looks go on when systemd executes itself anew", text_of(across));

  // Many at once: no result of a job is delivered to the wrong task, and none is lost.
  std::vector<Task<Result<void>>> many;
  for (int i = 0; i < 20; ++i)
    many.push_back(host.units.restart(i % 2 == 0 ? "sunup-probe-quick.service" : "sunup-probe-slow.service"));
  Result<void> all = co_await host::within(host.loop, 60s, host::all(host.loop, std::move(many)), "20 restarts");
  check(all || all.error().what.find("canceled") != std::string::npos, "20 restarts at once all come back",
        text_of(all));
  co_return co_await remove_units(host);
}

Task<Result<void>> latency(Host& host, int count) {
  write_units(host);
  Result<void> reloaded = co_await host.units.reload();
  if (!reloaded) co_return reloaded;
  std::vector<double> ms;
  for (int i = 0; i < count; ++i) {
    Result<void> started = co_await host.units.restart("sunup-probe-quick.service");
    const auto now_us = static_cast<uint64_t>(host.loop.now().time_since_epoch() / 1us);
    Result<UnitState> state = co_await host.units.state("sunup-probe-quick.service");
    if (!started || !state) co_return started ? std::move(state).error() : std::move(started).error();
    ms.push_back(static_cast<double>(now_us - state->active_since_us) / 1000);
  }
  std::sort(ms.begin(), ms.end());
  fmt::print("unit active to task resumed, {} starts: median {:.3f} ms, p99 {:.3f} ms, worst {:.3f} ms\n", ms.size(),
             ms[ms.size() / 2], ms[ms.size() * 99 / 100], ms.back());
  co_return co_await remove_units(host);
}

int main_of(std::vector<std::string> args) {
  auto machine = host::real::Machine::open();
  if (!machine) {
    fmt::print(stderr, "systemd-probe: {}\n", machine.error().what);
    return 1;
  }
  Host& host = (*machine)->host();
  const std::string verb = args.size() > 1 ? args[1] : "";
  std::vector<Task<Result<void>>> work;
  if (verb == "units" || verb == "all") work.push_back(units(host));
  if (verb == "latency" || verb == "all") work.push_back(latency(host, args.size() > 2 ? std::stoi(args[2]) : 200));
  if (work.empty()) {
    fmt::print(stderr, "usage: systemd-probe units | latency [N] | all\n");
    return 2;
  }
  for (auto& task : work)
    if (Result<void> done = (*machine)->loop().run(std::move(task)); !done) {
      fmt::print(stderr, "systemd-probe {}: {}\n", verb, done.error().what);
      return 1;
    }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace sunup

int main(int argc, char** argv) {
  return sunup::main_of(std::vector<std::string>(argv, argv + argc));
}
