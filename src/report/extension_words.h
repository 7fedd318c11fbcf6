// Parses the message of the script extension about its command. Used if a text does not contain the node's own status,
// because it was never written or the extension truncated it.
//
//   failed to execute command: command terminated with exit status=50
//   [stdout]
//
//   [stderr]
//   {"time":"...","level":"ERROR","msg":"aks-node-controller failed","error":"..."}
//   : failed to execute command: command terminated with exit status=50
//
// CustomScript up to 2.1.16 begins with "Enable failed: " and has no last line.
#pragma once

#include <optional>
#include <string_view>

#include "report/status.h"

namespace sunup::report {

// The position of the failure message in the text before its [stdout]; npos if there is none.
size_t extension_failure(std::string_view text);

// Empty if the text does not contain the message that the command failed.
std::optional<CseStatus> status_from_extension(std::string_view text);

}  // namespace sunup::report
