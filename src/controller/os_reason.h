// Descriptions of errors of the operating system, as in the error texts of the original.
#pragma once

#include <string>

namespace sunup::controller {

std::string os_reason(int error);  // "no such file or directory"
// "open PATH: no such file or directory", "read PATH: is a directory"
std::string reason_unread(const std::string& path, int error);
// "signal: killed", "signal: aborted (core dumped)"
std::string signal_reason(int number, bool core_dumped = false);
std::string stopped_error(int signal);  // the error in the result if a signal stopped this program

}  // namespace sunup::controller
