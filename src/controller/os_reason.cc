#include "controller/os_reason.h"

#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace sunup::controller {
namespace {

// The texts of the C library begin with a capital letter; otherwise they are the same.
std::string uncapitalised(std::string text) {
  if (!text.empty()) text[0] = to_lower(text[0]);
  return text;
}

}  // namespace

std::string os_reason(int error) {
  const char* text = strerrordesc_np(error);
  return text != nullptr ? uncapitalised(text) : "errno " + std::to_string(error);
}

std::string reason_unread(const std::string& path, int error) {
  return (error == EISDIR ? "read " : "open ") + path + ": " + os_reason(error);
}

std::string signal_reason(int number, bool core_dumped) {
  const char* text = sigdescr_np(number);
  return "signal: " + (text != nullptr ? uncapitalised(text) : "signal " + std::to_string(number)) +
         (core_dumped ? " (core dumped)" : "");
}

std::string stopped_error(int signal) {
  return "aks-node-controller was stopped while provisioning (" + signal_reason(signal) + ")";
}

}  // namespace sunup::controller
