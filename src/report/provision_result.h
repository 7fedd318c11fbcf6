// provision.json: the result of provisioning for the control plane (`provision-wait` prints it). The image's scripts
// write it themselves; this program writes it after native provisioning and if the scripts could not, and always reads
// it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/wall_time.h"

namespace sunup::report {

// When the parts of a boot and the provisioning started; 0: unknown.
struct RunTimes {
  WallTime kernel = 0;
  WallTime cloud_init_local = 0;
  WallTime cloud_init = 0;
  WallTime cloud_final = 0;
  WallTime networkd = 0;
  WallTime guest_agent = 0;
  WallTime kubelet = 0;
  WallTime start = 0;  // of the provisioning
  WallTime end = 0;

  int64_t seconds() const { return (end - start) / 1'000'000'000; }  // of the provisioning
};

// The members as the file has them; those that a result does not have are empty.
struct ProvisionResult {
  std::string exit_code;      // decimal
  std::string error;          // empty: success
  std::string output;         // the end of the provisioning log
  std::string duration = {};  // in seconds
  std::string kernel_start = {};
  std::string cloud_init_local_start = {};
  std::string cloud_init_start = {};
  std::string cloud_final_start = {};
  std::string networkd_start = {};
  std::string start = {};  // of the provisioning
  std::string guest_agent_start = {};
  std::string kubelet_start = {};
  std::string systemd_summary = {};
  // Written only by this program.
  std::string failed_step = {};
  std::string hint = {};
  std::vector<std::string> ignored_fields = {};  // of the config
  std::string verdict = {};                      // the description of the failure (failure.h)
};

// The number of bytes at the end of the output that the custom script extension passes on. provision-wait prints this
// file and a newline; a longer file would arrive without its exit code.
inline constexpr size_t kLongestResult = 4095;

// All members of the original's file, and the additional ones that are not empty, in at most kLongestResult bytes: if
// the text is too long, the beginning of the output is dropped first, then the list of ignored fields, then the end of
// the error.
std::string to_json(const ProvisionResult& result);
// {"ExitCode":"240","Error":"...","Output":"..."}: the file that the original writes for a failure of its own.
std::string brief_json(const ProvisionResult& result);

// Reads a valid file. Tolerant of irrelevant differences (member names in any case, unknown members, repeated members,
// of which the last is used), strict otherwise: requires valid JSON, and strings for the members that the original
// reads. Errors start with "parse provision.json: ". status.h finds results in other texts.
Result<ProvisionResult> parse_result(std::string_view text);

// Sets the members that are times.
void set_times(ProvisionResult& result, const RunTimes& times);
// Sets the member of that name, in any case. Names of other members are ignored.
void set_member(ProvisionResult& result, std::string_view name, std::string_view value);

// The exit code as a number, or the error that provision-wait reports if it is missing or not a number.
Result<int64_t> exit_code_of(const ProvisionResult& result);
// In seconds; empty if it is not a number.
std::optional<double> duration_of(const ProvisionResult& result);

// The following functions change the text of a file of any origin, in at most kLongestResult bytes, and leave its other
// members as they are. A text that is not such a file is returned unchanged.
//
// With these steps as the member UnfinishedSteps (without the member if there are none).
std::string with_unfinished_steps(std::string_view text, const std::vector<std::string>& steps);
// With the member NativeRefusal: the reason why the command's script was run instead of the built-in steps.
std::string with_native_refusal(std::string_view text, std::string_view why);

// The steps in the member UnfinishedSteps of the file's text.
std::vector<std::string> unfinished_steps(std::string_view text);

// Only the members that are codes, names and times, in one line; empty if the text is not such a file.
std::string without_free_text(std::string_view text);

}  // namespace sunup::report
