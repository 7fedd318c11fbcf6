// The moments a CSEStatus carries (kernel, cloud-init, guest agent, kubelet ...), in the several notations that the
// programs on a node write them in, as one ordered list.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sunup::report {

// Seconds since 1970 of "Tue 2024-11-12 17:23:33 UTC", "Tue Nov 12 17:24:06 UTC 2024", "2024-11-12 17:23:33.250" or RFC
// 3339. Nothing for other zones than UTC (their names are ambiguous) and for anything else.
std::optional<double> parse_boot_time(std::string_view text);

struct BootMoment {
  std::string key;                // the field's name: "KubeletStartTime"
  std::string label;              // for people: "kubelet started"
  std::string text;               // as the node wrote it
  std::optional<double> seconds;  // since 1970, where the text could be read
};

// The label of a field that holds a moment; empty when it is not one.
std::string_view boot_moment_label(std::string_view key);

// Readable moments by time, then the others in the order they came.
void sort_by_time(std::vector<BootMoment>& moments);

}  // namespace sunup::report
