// provision.json: the result of provisioning for the control plane (`provision-wait` prints it). The image's scripts
// write it themselves, with more members; this program writes it if they could not, and always reads it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::report {

struct ProvisionResult {
  std::string exit_code;  // decimal text, as in the file
  std::string error;
  std::string output;
  // These members are only read; cse_status_file.h writes them.
  std::string failed_step = {};
  std::string start_time = {};  // CSEStartTime, as `date` prints it
  std::string duration = {};    // ExecDuration, in seconds
};

// {"ExitCode":"240","Error":"...","Output":"..."} without a newline: the file that the original writes for a failure of
// its own, without the times, which only a complete run has (cse_status_file.h).
std::string to_json(const ProvisionResult& result);

// Tolerant of irrelevant differences (member names in any case, unknown members, repeated members, of which the last is
// used), strict otherwise: requires valid JSON, and strings where strings are expected. Errors start with "parse
// provision.json: ".
Result<ProvisionResult> parse_result(std::string_view text);

// The exit code as a number, or the error that provision-wait reports if it is missing or not a number.
Result<int64_t> exit_code_of(const ProvisionResult& result);

}  // namespace sunup::report
