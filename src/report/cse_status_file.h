// provision.json of native provisioning: all members of the original's file with real values (an unknown time is
// empty), and additionally the failure, its cause and its remedy.
#pragma once

#include <string>
#include <vector>

#include "report/wall_time.h"

namespace sunup::report {

struct CseTimes {
  // 0: unknown. Nanoseconds since 1970.
  WallTime kernel = 0;
  WallTime cloud_init_local = 0;
  WallTime cloud_init = 0;
  WallTime cloud_final = 0;
  WallTime networkd = 0;
  WallTime guest_agent = 0;
  WallTime kubelet = 0;
  WallTime start = 0;  // of the provisioning
  WallTime end = 0;
};

struct CseStatusFile {
  int exit_code = 0;
  std::string output;  // the end of the provisioning log
  std::string error;   // empty: success
  CseTimes times;
  std::string systemd_summary;
  std::string failed_step;  // additional members; omitted if empty
  std::string hint;
  std::vector<std::string> ignored_fields;  // of the config
  std::string verdict;                      // the description of the failure (failure.h)
  std::string scriptless_mode = "none";     // the kind of input of the node: "cse_cmd", "nbc_cse_cmd"
};

// The number of bytes at the end of the output that the custom script extension passes on. provision-wait prints this
// file and a newline; a longer file would arrive without its exit code.
inline constexpr size_t kLongestStatusFile = 4095;

// At most that many bytes: if the text is too long, the beginning of the output is dropped first, then the list of
// ignored fields, then the end of the error.
std::string to_json(const CseStatusFile& status);

// Returns the file's text with these steps as the member UnfinishedSteps (without the member if there are none), in at
// most that many bytes. A text that is not such a file is returned unchanged.
std::string with_unfinished_steps(std::string_view text, const std::vector<std::string>& steps);
// The steps in the member UnfinishedSteps of the file's text.
std::vector<std::string> unfinished_steps(std::string_view text);

// Adds the member NativeRefusal in the same way: the reason why the command's script was run instead of the built-in
// steps.
std::string with_native_refusal(std::string_view text, std::string_view why);

// The message of the event AKS.CSE.cse_start.
std::string cse_start_message(const CseStatusFile& status);

// "Sun 2026-11-15 18:48:09 UTC", the format of systemd, and "Sun Nov 15 18:48:09 UTC 2026", the format of `date`. Both
// use the machine's time zone and are empty for 0.
std::string systemd_time(WallTime time);
std::string date_time(WallTime time);

}  // namespace sunup::report
