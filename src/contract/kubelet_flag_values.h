// Kubelet's command line as kubelet itself reads it: which flags there are, and what each takes. Kubelet ends at once
// over a flag it does not know or a value it cannot read, so a slip here is a node that never joins.
//
// All flags of the Kubernetes versions that nodes still run are here, with the versions that have them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sunup::contract {

// memory.available, nodefs.inodesFree, ...
bool is_eviction_signal(std::string_view text);
// An amount (100Mi) of more than nothing, or a share (10%) of not more than all. A share may be of nothing: "0%" is how
// kubelet is told to do without the threshold.
bool is_eviction_threshold(std::string_view text);
// As Go reads a bool: true, 1, T, ...; nothing if it cannot.
std::optional<bool> as_go_bool(std::string_view text);

bool is_kubelet_flag(std::string_view flag);

// The minor versions of Kubernetes 1.x whose kubelet has the flag. Nothing: all that are known here, from the first on
// or to the last.
struct KubeletFlagLife {
  std::optional<uint64_t> since = {};
  std::optional<uint64_t> gone = {};  // the first that does not have it any more
};
KubeletFlagLife kubelet_flag_life(std::string_view flag);

// The known flag that was likely meant.
std::optional<std::string> nearest_kubelet_flag(std::string_view flag);

// What the flag takes, when the value is not that: "a whole number from 0 to 100". Nothing when the value will do, or
// when the flag takes any text.
std::optional<std::string> kubelet_flag_takes(std::string_view flag, std::string_view value);

}  // namespace sunup::contract
