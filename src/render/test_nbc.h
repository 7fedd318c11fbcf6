// A small command for tests.
#pragma once

#include <string>
#include <string_view>

namespace sunup::render {

inline constexpr std::string_view kTestStart =
    "PROVISION_OUTPUT=\"/var/log/azure/cluster-provision-cse-output.log\"; "
    "echo $(date),$(hostname) > ${PROVISION_OUTPUT}; ";
inline constexpr std::string_view kTestEnd =
    "/usr/bin/nohup /bin/bash -c \"/bin/bash /opt/azure/containers/provision_start.sh\" ";

inline std::string test_command(std::string_view variables) {
  return std::string(kTestStart) + std::string(variables) + " " + std::string(kTestEnd);
}

}  // namespace sunup::render
