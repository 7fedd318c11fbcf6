// Exit codes with the steps of native provisioning that use them, for `sunup exit-code` and the HTTP API.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "report/exit_codes.h"

namespace sunup::service {

// The steps of native provisioning; the table of exit codes has those of the image's scripts.
std::vector<std::string_view> native_steps(const report::ExitCode& code);

nlohmann::ordered_json exit_code_json(const report::ExitCode& code);

}  // namespace sunup::service
