#include "plan/kubelet_health.h"

#include "base/text.h"
#include "base/validity.h"
#include "host/running.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

constexpr auto kLongestLook = 10s;
constexpr int kTooOften = 2;  // the runtime may be missing for a moment, so one exit is tolerated

// Reasons of kubelet that have a cause outside the node, with the terms that people search for.
Error diagnosed(std::string what, std::string_view reason) {
  if (reason.find("certificate has expired or is not yet valid") != std::string_view::npos)
    return Error(what + ": the clock of the node makes a certificate invalid").with_hint(kClockHint);
  if (reason.find("certificate signing request: Unauthorized") != std::string_view::npos)
    return Error(what + ": " + kTokenRefused).with_hint(kTokenHint);
  return Error(std::move(what)).with_hint("journalctl -u kubelet tells more");
}

Task<Result<void>> failed(Context& c, std::string what) {
  // The output of the unit's processes, without systemd's own messages about the unit.
  host::Command journal = host::command("journalctl", "--quiet", "--no-pager", "--boot", "--output=cat", "--lines=2000",
                                        "_SYSTEMD_UNIT=kubelet.service");
  journal.limit = 5s;
  auto exit = co_await c.host.processes.run(std::move(journal));
  std::string reason;
  if (exit && exit->ok()) reason = last_error(exit->out);
  if (!reason.empty()) what += ": " + reason;
  co_return diagnosed(std::move(what), reason);
}

std::string in_words(const host::UnitState& state) {
  return state.result.empty() || state.result == "success" ? "" : " (" + state.result + ")";
}

// Returns when kubelet has exited too often, with the unit's last state. Counts the exits in `ends`.
Task<Result<host::UnitState>> ends_too_often(Context& c, host::UnitState state, int& ends) {
  bool ran = ends == 0;
  for (;;) {
    if (ran && !state.is_active()) {
      if (++ends == kTooOften) co_return state;
      c.note("kubelet has exited" + in_words(state));
    }
    ran = state.is_active();
    auto next = co_await c.host.units.next_change(kKubelet, state);
    if (!next) co_return std::move(next).error();
    state = *std::move(next);
  }
}

// No state: kubelet has started completely. A state: kubelet has exited too often.
Task<Result<std::optional<host::UnitState>>> outcome_of_start(Context& c, host::UnitState state, int& ends_seen) {
  auto listens = c.host.watch.socket_accepts(kKubeletStarted);
  auto first = co_await host::first_of(c.host.loop, std::move(listens), ends_too_often(c, std::move(state), ends_seen));
  if (first.index() == 0) {
    if (!std::get<0>(first)) co_return std::move(std::get<0>(first)).error();
    co_return std::optional<host::UnitState>();
  }
  if (!std::get<1>(first)) co_return std::move(std::get<1>(first)).error();
  co_return std::optional<host::UnitState>(*std::move(std::get<1>(first)));
}

// kubelet's messages: `E1117 22:50:01.1 123 run.go:72] "command failed" err="failed to run Kubelet: ..."`.
bool is_error(std::string_view line) {
  return line.size() > 5 && (line[0] == 'E' || line[0] == 'F') && line[5] == ' ' &&
         line.substr(1, 4).find_first_not_of("0123456789") == std::string_view::npos;
}

// The unquoted value of err="...", or the whole message if there is none.
std::string reason_in(std::string_view line) {
  if (const size_t bracket = line.find("] "); bracket != std::string_view::npos) line.remove_prefix(bracket + 2);
  constexpr std::string_view kError = "err=\"";
  const size_t at = line.find(kError);
  if (at == std::string_view::npos) return std::string(line);
  std::string reason;
  for (size_t i = at + kError.size(); i < line.size() && line[i] != '"'; ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) ++i;
    reason += line[i];
  }
  return reason;
}

}  // namespace

std::string last_error(std::string_view log) {
  std::string_view last;
  while (!log.empty()) {
    const std::string_view line = take_until(log, '\n');
    if (is_error(line) || line.starts_with("Error: ")) last = line;
  }
  constexpr size_t kLongest = 400;
  return reason_in(last).substr(0, kLongest);
}

Task<Result<void>> look_at_kubelet(Context& c, SubjectPtr s) {
  if (s->files_only) co_return c.leave_out("check that kubelet runs");
  auto state = co_await c.host.units.state(kKubelet);
  if (!state) co_return std::move(state).error();
  if (state->active == "failed" || state->active == "inactive")
    co_return co_await failed(c, "kubelet.service is " + state->active + in_words(*state));
  // If kubelet has exited once, it gets the same time again, and its next start decides.
  int ends = 0;
  for (int looks = 0; looks <= ends; ++looks) {
    auto start = outcome_of_start(c, *state, ends);
    auto outcome = co_await host::within(c.host.loop, kLongestLook, std::move(start), "kubelet's start");
    if (outcome && !*outcome) co_return Result<void>();
    if (outcome) co_return co_await failed(c, "kubelet exits repeatedly" + in_words(**outcome));
    c.note(outcome.error().what);
    state = co_await c.host.units.state(kKubelet);
    if (!state) co_return std::move(state).error();
    if (state->active == "failed" || state->active == "inactive")
      co_return co_await failed(c, "kubelet has exited, and kubelet.service is " + state->active + in_words(*state));
  }
  co_return Result<void>();
}

}  // namespace sunup::plan
