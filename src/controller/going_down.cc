#include "controller/going_down.h"

#include "host/running.h"

namespace sunup::controller {

host::Task<bool> going_down(Node& node) {
  if (!node.root.empty()) co_return false;  // the state of the machine does not matter below another root
  auto asked = node.host.units.machine_stops();
  const auto stops = co_await host::within(node.loop, std::chrono::seconds(2), std::move(asked), "systemd's state");
  co_return stops && *stops;
}

}  // namespace sunup::controller
