// Splits a text that contains several results one after the other: concatenated provision.json documents of several
// nodes, or the extension's "[stdout] ... [stderr] ..." texts of several nodes. A single result is not split further
// (an earlier attempt in a log, a list in an instance view); its reader handles that.
#pragma once

#include <string_view>
#include <vector>

namespace sunup::report {

// The parts, in order; only the whole text if it is one result or cannot be split.
std::vector<std::string_view> separate_results(std::string_view text);

}  // namespace sunup::report
