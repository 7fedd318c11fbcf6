// What the script extension itself says of its command, for the texts in which the node's own status is not: it was
// never written, or the extension kept too little of it.
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

// Where the text, or what comes before its [stdout], begins to say that the command failed; npos: it does not.
size_t extension_failure(std::string_view text);

// Nothing: it does not say that its command failed.
std::optional<CseStatus> status_from_extension(std::string_view text);

}  // namespace sunup::report
