// provision.json as native provisioning leaves it: every member that readers of the original's file know, with real
// values (a time that is not known is empty), and beside them what failed, why, and what to do.
#pragma once

#include <string>
#include <vector>

#include "report/wall_time.h"

namespace sunup::report {

struct CseTimes {
  // 0: not known. Nanoseconds since 1970.
  WallTime kernel = 0;
  WallTime cloud_init_local = 0;
  WallTime cloud_init = 0;
  WallTime cloud_final = 0;
  WallTime networkd = 0;
  WallTime guest_agent = 0;
  WallTime kubelet = 0;
  WallTime kubelet_ready = 0;
  WallTime start = 0;  // of the provision
  WallTime end = 0;
};

struct CseStatusFile {
  int exit_code = 0;
  std::string output;  // the end of the provisioning log
  std::string error;   // empty: it went well
  CseTimes times;
  std::string systemd_summary;
  std::string failed_step;  // what only we know; left out of the file when empty
  std::string hint;
  std::vector<std::string> ignored_fields;  // of the config
  std::string verdict;                      // all of this in one text (failure.h)
  std::string scriptless_mode = "none";     // how the node was told what to do: "cse_cmd", "nbc_cse_cmd"
};

// What the custom script extension hands on of its script's output: the last bytes. provision-wait prints this file and
// a line break; a longer one would arrive without its exit code.
inline constexpr size_t kLongestStatusFile = 4095;

// In at most that many bytes: of what is too long the beginning of the output goes first, then the list of ignored
// fields, then the end of the error.
std::string to_json(const CseStatusFile& status);

// The file's text with these steps named as UnfinishedSteps (nothing: without that member), in at most that many bytes.
// A text that is no such file stays as it is.
std::string with_unfinished_steps(std::string_view text, const std::vector<std::string>& steps);

// The message of the event AKS.CSE.cse_start.
std::string cse_start_message(const CseStatusFile& status);

// "Sun 2026-11-15 18:48:09 UTC", as systemd shows times, and "Sun Nov 15 18:48:09 UTC 2026", as `date` does; both in
// the machine's zone and empty for 0.
std::string systemd_time(WallTime time);
std::string date_time(WallTime time);

}  // namespace sunup::report
