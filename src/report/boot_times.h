// The boot times in a CSEStatus (kernel, cloud-init, guest agent, kubelet ...), which have several notations, as an
// ordered list.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sunup::report {

// Seconds since 1970 of "Tue 2024-11-12 17:23:33 UTC", "Tue Nov 12 17:24:06 UTC 2024", "2024-11-12 17:23:33.250" or RFC
// 3339. Empty for zones other than UTC (their names are ambiguous) and for other text.
std::optional<double> parse_boot_time(std::string_view text);

struct BootMoment {
  std::string key;                // the field's name: "KubeletStartTime"
  std::string label;              // for display: "kubelet started"
  std::string text;               // as the node wrote it
  std::optional<double> seconds;  // since 1970, if the text could be parsed
};

// The label of a field that contains a time; empty for other fields.
std::string_view boot_moment_label(std::string_view key);

// Parsed times in order, then the others in their original order.
void sort_by_time(std::vector<BootMoment>& moments);

}  // namespace sunup::report
