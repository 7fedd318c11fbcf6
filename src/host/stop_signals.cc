#include "host/stop_signals.h"

#include <cstring>

namespace sunup::host {
namespace {

constexpr int kStopSignals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM};

bool ignored(int signal) {
  struct sigaction action = {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

sigset_t stop_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : kStopSignals)
    if (!ignored(signal)) ::sigaddset(&set, signal);
  return set;
}

int pending_stop_signal() {
  sigset_t pending;
  ::sigpending(&pending);
  for (const int signal : kStopSignals)
    if (::sigismember(&pending, signal) == 1) return signal;
  return 0;
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name == nullptr ? "signal " + std::to_string(signal) : std::string("SIG") + name;
}

}  // namespace sunup::host
