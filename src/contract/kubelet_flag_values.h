// Checks of kubelet's flags and their values. Kubelet exits immediately if it finds an unknown flag or an invalid
// value, so such a mistake gives a node that never joins.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/kubelet_settings.h"

namespace sunup::contract {

// memory.available, nodefs.inodesFree, ...
bool is_eviction_signal(std::string_view text);
// A positive amount (100Mi), or a percentage up to 100%. "0%" is allowed, because it disables the threshold.
bool is_eviction_threshold(std::string_view text);
// Parsed like a Go bool: true, 1, T, ...; empty if invalid.
std::optional<bool> as_go_bool(std::string_view text);

bool is_kubelet_flag(std::string_view flag);

KubeletFlagLife kubelet_flag_life(std::string_view flag);

// The names of all known flags, sorted.
std::vector<std::string_view> kubelet_flags();

// The most similar known flag.
std::optional<std::string> nearest_kubelet_flag(std::string_view flag);

// What the flag accepts, if the value is invalid: "a whole number from 0 to 100". Empty if the value is valid or the
// flag accepts any text.
std::optional<std::string> kubelet_flag_takes(std::string_view flag, std::string_view value);

}  // namespace sunup::contract
