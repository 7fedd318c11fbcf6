// The signals that ask this program to stop: SIGTERM (systemd, kill), SIGINT and SIGQUIT (a keyboard), SIGHUP (a
// terminal that is gone), and those without a meaning here that would end it as well, only without a word.
#pragma once

#include <csignal>
#include <string>

namespace sunup::host {

// Without those that whoever started us wants ignored: SIGHUP under nohup, SIGINT and SIGQUIT in the background of a
// shell.
sigset_t stop_signals();

// One of them that has come and is blocked; 0: none.
int pending_stop_signal();

std::string signal_name(int signal);  // "SIGTERM"

}  // namespace sunup::host
