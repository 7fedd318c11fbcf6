// The words of the operating system for what went wrong, as the original's error texts have them.
#pragma once

#include <string>

namespace sunup::controller {

std::string os_reason(int error);       // "no such file or directory"
std::string signal_reason(int number);  // "signal: killed"
std::string stopped_error(int signal);  // what the result says when somebody stopped us

}  // namespace sunup::controller
