// provision.json: the result of provisioning for the control plane (`provision-wait` prints it). The image's scripts
// write it themselves, with more members; we write it if they could not, and always read it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::report {

struct ProvisionResult {
  std::string exit_code;  // decimal text, as in the file
  std::string error;
  std::string output;
  // These are read only; cse_status_file.h writes them.
  std::string failed_step = {};
  std::string start_time = {};  // CSEStartTime, as `date` prints it
  std::string duration = {};    // ExecDuration, in seconds
};

// {"ExitCode":"240","Error":"...","Output":"..."}, no newline: the file that the original leaves for a failure of its
// own, without the times that only a complete run knows (cse_status_file.h).
std::string to_json(const ProvisionResult& result);

// Tolerant of irrelevant parts (member names in any case, unknown members, the last of several equal names is used),
// strict about the rest: valid JSON, and strings where strings are expected. Errors start with "parse provision.json:
// ".
Result<ProvisionResult> parse_result(std::string_view text);

// The exit code as a number, or the error that provision-wait reports: missing, or not a number.
Result<int64_t> exit_code_of(const ProvisionResult& result);

}  // namespace sunup::report
