// Events for the Azure guest agent: one file each in a directory that the agent empties, from where they reach the
// platform's telemetry.
#pragma once

#include <string>
#include <string_view>

#include "report/wall_time.h"

namespace sunup::report {

enum class EventLevel { kInformational, kError, kNone };

struct GuestEvent {
  // "Provision": shown as AKS.AKSNodeController.Provision, its message with the times appended. A name that starts with
  // "AKS." ("AKS.CSE.ensureKubelet") and its message are shown as they are.
  std::string task;
  EventLevel level = EventLevel::kInformational;
  std::string message;
  WallTime start = 0;
  WallTime end = 0;
  bool may_be_cut = false;  // so that its message arrives whole, with the times
};

// What the platform's pipeline keeps of a message, in bytes.
inline constexpr size_t kLongestMessage = 3072;

// The file's content: compact, fixed key order, no newline.
std::string to_json(const GuestEvent& event);

// The file's name: the time of writing in nanoseconds.
std::string event_file_name(WallTime written);

}  // namespace sunup::report
