// Label keys that were renamed, and those that users may not set.
#pragma once

#include <string_view>

namespace sunup::fleet {

// The current name of a renamed label: kubernetes.io/arch for beta.kubernetes.io/arch.
std::string_view stable_label(std::string_view key);

// Why a pool's label (or requirement) may not have this key; empty if it may.
std::string_view restricted_label(std::string_view key);

}  // namespace sunup::fleet
