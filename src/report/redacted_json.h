// Redacts JSON text of another program. Its strings may contain the output of a script, in which text quoted by a shell
// is escaped once more.
//
//   {"Output":"+ X='it'\\''s'\n"}    // the value it's, quoted by set -x
#pragma once

#include <string>
#include <string_view>

#include "report/redactor.h"

namespace sunup::report {

// A string without credentials keeps its spelling. Text that is not JSON is accepted.
std::string redacted_json(const Redactor& redactor, std::string_view text);

}  // namespace sunup::report
