#include "host/real/sdbus.h"

#include <dlfcn.h>

#include <cerrno>

namespace sunup::host::real {
namespace {

Error not_connected(const std::string& what) {
  Error error("systemd cannot be reached: " + what);
  error.os_errno = ENOTCONN;
  return error;
}

}  // namespace

Result<const SdBus*> SdBus::load() {
  static SdBus library;
  static const std::string kProblem = [] {
    void* handle = ::dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return std::string("libsystemd.so.0 not found");
    const char* missing = nullptr;
#define SUNUP_SDBUS_LOAD(name)                                                     \
  library.name = reinterpret_cast<decltype(library.name)>(::dlsym(handle, #name)); \
  if (library.name == nullptr) missing = #name;
    SUNUP_SDBUS_FUNCTIONS(SUNUP_SDBUS_LOAD)
#undef SUNUP_SDBUS_LOAD
    return missing == nullptr ? std::string() : std::string("libsystemd.so.0 has no ") + missing;
  }();
  if (!kProblem.empty()) return not_connected(kProblem);
  return &library;
}

}  // namespace sunup::host::real
