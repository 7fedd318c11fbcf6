// The signals that ask this program to stop: SIGTERM (systemd, kill), SIGINT and SIGQUIT (a keyboard), SIGHUP (a
// terminal that was closed), and those without a meaning here that would otherwise end it without a message.
#pragma once

#include <csignal>
#include <string>

namespace sunup::host {

// Excludes signals that the parent process has set to be ignored: SIGHUP under nohup, SIGINT and SIGQUIT in the
// background of a shell.
sigset_t stop_signals();

// A stop signal that is pending because it is blocked; 0: none.
int pending_stop_signal();

std::string signal_name(int signal);  // "SIGTERM"

}  // namespace sunup::host
