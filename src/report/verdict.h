// A status report as text (what failed, where, what it means, what to do, and when things happened) and as JSON.
// docs/status.md describes the JSON.
#pragma once

#include <string>

#include "report/status.h"

namespace sunup::report {

std::string verdict_text(const StatusReport& report);
std::string verdict_json(const StatusReport& report);

}  // namespace sunup::report
