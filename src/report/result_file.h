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
};

// {"ExitCode":"240","Error":"...","Output":"..."}, no newline.
std::string to_json(const ProvisionResult& result);

// Tolerant of irrelevant parts (member names in any case, unknown members, the last of several equal names is used),
// strict about the rest: valid JSON, and strings where strings are expected. Errors start with "parse provision.json:
// ".
Result<ProvisionResult> parse_result(std::string_view text);

// The exit code as a number, or the error that provision-wait reports: missing, or not a number.
Result<int64_t> exit_code_of(const ProvisionResult& result);

}  // namespace sunup::report
