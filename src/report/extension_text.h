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
#include <vector>

#include "report/status.h"

namespace sunup::report {

// Splits a text that contains several results one after the other: concatenated provision.json documents of several
// nodes, or the extension's "[stdout] ... [stderr] ..." texts of several nodes. A single result is not split further
// (an earlier attempt in a log, a list in an instance view); its reader handles that. The result are the parts, in
// order; only the whole text if it is one result or cannot be split.
std::vector<std::string_view> separate_results(std::string_view text);

// Empty if the text does not contain the message that the command failed.
std::optional<CseStatus> status_from_extension(std::string_view text);

}  // namespace sunup::report
