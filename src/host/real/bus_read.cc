#include "host/real/bus_read.h"

#include <fmt/format.h>

namespace sunup::host::real {

Error protocol_error(std::string_view what, int status) {
  return Error::from_errno(-status, fmt::format("systemd's answer to {} cannot be read", what));
}

int read_strings(const SdBus& sd, sd_bus_message* message, std::vector<std::string>* into) {
  int status = sd.sd_bus_message_enter_container(message, 'v', "as");
  if (status >= 0) status = sd.sd_bus_message_enter_container(message, 'a', "s");
  const char* text = nullptr;
  while (status >= 0 && (status = sd.sd_bus_message_read(message, "s", &text)) > 0) into->emplace_back(text);
  if (status >= 0) status = sd.sd_bus_message_exit_container(message);
  return status < 0 ? status : sd.sd_bus_message_exit_container(message);
}

int read_properties(const SdBus& sd, sd_bus_message* message, const std::function<int(std::string_view name)>& read) {
  int status = sd.sd_bus_message_enter_container(message, 'a', "{sv}");
  while (status >= 0 && (status = sd.sd_bus_message_enter_container(message, 'e', "sv")) > 0) {
    const char* name = nullptr;
    status = sd.sd_bus_message_read(message, "s", &name);
    if (status >= 0) status = read(name);
    if (status >= 0) status = sd.sd_bus_message_exit_container(message);
  }
  return status;
}

}  // namespace sunup::host::real
