// Any bytes can be read as a document of Azure's host: an accepted one is within its limits, has names that are safe in
// files, and can be written and read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "azure/goal_state.h"
#include "azure/instance.h"
#include "azure/names.h"
#include "azure/ovf_env.h"
#include "azure/xml.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup::azure;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto environment = read_ovf_env(text)) {
    require(check_host_name(environment->host_name).ok(), "a host name that is accepted is one");
    const auto copy = read_ovf_env(ovf_env_for_agent(*environment));
    require(copy && copy->host_name == environment->host_name, "the copy for the agent says the same");
    require(copy->custom_data.empty() && copy->password.empty(), "the copy for the agent has no secrets");
  }
  if (const auto goal = read_goal_state(text)) {
    const Health failed{.ready = false, .sub_status = "ProvisioningFailed", .description = std::string(text)};
    require(read_xml(health_xml(*goal, failed)).ok(), "a health report is XML");
  }
  (void)read_instance(text);
  (void)health_json({.ready = false, .sub_status = "x", .description = std::string(text)});
  if (const auto line = public_key_line(text))
    require(line->find_first_of("\r\n") == std::string::npos, "a key is one line");
  return 0;
}
