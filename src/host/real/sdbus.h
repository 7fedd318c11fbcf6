// libsystemd's sd-bus, loaded at its first use: programs that do not use systemd do not pay for loading it, and on a
// machine without the library the result is an error message instead of a program that does not start
// (docs/decisions/0002).
#pragma once

#include <systemd/sd-bus.h>

#include "base/result.h"

namespace sunup::host::real {

struct SdBus {
#define SUNUP_SDBUS_FUNCTIONS(X)    \
  X(sd_bus_new)                     \
  X(sd_bus_open_system)             \
  X(sd_bus_set_address)             \
  X(sd_bus_start)                   \
  X(sd_bus_close)                   \
  X(sd_bus_unref)                   \
  X(sd_bus_is_open)                 \
  X(sd_bus_get_fd)                  \
  X(sd_bus_get_events)              \
  X(sd_bus_get_timeout)             \
  X(sd_bus_process)                 \
  X(sd_bus_call_async)              \
  X(sd_bus_match_signal_async)      \
  X(sd_bus_slot_unref)              \
  X(sd_bus_message_new_method_call) \
  X(sd_bus_message_append)          \
  X(sd_bus_message_append_strv)     \
  X(sd_bus_message_read)            \
  X(sd_bus_message_skip)            \
  X(sd_bus_message_peek_type)       \
  X(sd_bus_message_enter_container) \
  X(sd_bus_message_exit_container)  \
  X(sd_bus_message_ref)             \
  X(sd_bus_message_unref)           \
  X(sd_bus_message_get_error)       \
  X(sd_bus_message_get_path)

#define SUNUP_SDBUS_MEMBER(name) decltype(&::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses)
  SUNUP_SDBUS_FUNCTIONS(SUNUP_SDBUS_MEMBER)
#undef SUNUP_SDBUS_MEMBER

  // The library, or why it cannot be loaded. Loaded once and kept.
  static Result<const SdBus*> load();
};

}  // namespace sunup::host::real
