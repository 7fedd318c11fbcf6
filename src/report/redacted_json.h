// JSON text that another program wrote, without credentials: what a script printed may stand in one of its strings, so
// that what a shell has quoted is escaped once more.
//
//   {"Output":"+ X='it'\\''s'\n"}    // the value it's, quoted by set -x
#pragma once

#include <string>
#include <string_view>

#include "report/redactor.h"

namespace sunup::report {

// A string that holds nothing is kept as it is spelled. Text that is no JSON is fine.
std::string redacted_json(const Redactor& redactor, std::string_view text);

}  // namespace sunup::report
