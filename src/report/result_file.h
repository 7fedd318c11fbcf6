// provision.json: how a provision ended, as the control plane reads it (`provision-wait` prints it). The image's
// scripts write it themselves, with more members; we write it when they could not, and read it in every case.
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

// Tolerant in what it does not need (member names in any case, unknown members, the last of equal names wins), strict
// in what it does: JSON to the last byte, strings where strings belong. Errors start with "parse provision.json: ".
Result<ProvisionResult> parse_result(std::string_view text);

// The exit code as a number, or the error that provision-wait reports: none given, or not a number.
Result<int64_t> exit_code_of(const ProvisionResult& result);

}  // namespace sunup::report
