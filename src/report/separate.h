// Takes apart a text that holds several results one after the other: provision.json documents of several nodes put
// together with cat, or the extension's "[stdout] ... [stderr] ..." texts of several. What stands inside one result (an
// earlier attempt in a log, a list in an instance view) is not taken apart: that is the reader's to judge.
#pragma once

#include <string_view>
#include <vector>

namespace sunup::report {

// The parts, in order; the whole text alone when it is one result or none can be told from another.
std::vector<std::string_view> separate_results(std::string_view text);

}  // namespace sunup::report
