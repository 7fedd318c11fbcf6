// The words of the operating system for what went wrong, as the original's error texts have them.
#pragma once

#include <string>

namespace sunup::controller {

std::string os_reason(int error);  // "no such file or directory"
// "signal: killed", "signal: aborted (core dumped)"
std::string signal_reason(int number, bool core_dumped = false);
std::string stopped_error(int signal);  // what the result says when somebody stopped us

}  // namespace sunup::controller
