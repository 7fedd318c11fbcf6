// Events for the Azure guest agent: one file for each in a directory that the agent empties and sends to the platform's
// telemetry.
#pragma once

#include <string>
#include <string_view>

#include "report/provision_result.h"
#include "report/wall_time.h"

namespace sunup::report {

enum class EventLevel { kInformational, kError, kNone };

struct GuestEvent {
  // "Provision": shown as AKS.AKSNodeController.Provision, its message with the times appended. A name that starts with
  // "AKS." ("AKS.CSE.ensureKubelet") and its message are not changed.
  std::string task;
  EventLevel level = EventLevel::kInformational;
  std::string message;
  WallTime start = 0;
  WallTime end = 0;
  bool may_be_cut = false;  // shorten its message so that the times are kept
};

// The limit of the platform's pipeline for a message, in bytes.
inline constexpr size_t kLongestMessage = 3072;

// The file's content: compact, fixed key order, no newline.
std::string to_json(const GuestEvent& event);

// The message of the event AKS.CSE.cse_start. `mode`: the kind of input of the node ("none", "cse_cmd", "nbc_cse_cmd").
std::string cse_start_message(const std::string& exit_code, const RunTimes& times, std::string_view mode);

// The file's name: the time of writing in nanoseconds.
std::string event_file_name(WallTime written);

}  // namespace sunup::report
