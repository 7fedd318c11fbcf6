// What the keys of labels stand for: those that were renamed, and those that are not the user's to set.
#pragma once

#include <string_view>

namespace sunup::fleet {

// Today's name of a label that has an older one: beta.kubernetes.io/arch is kubernetes.io/arch.
std::string_view stable_label(std::string_view key);

// Why a pool's label (or requirement) may not have this key; empty when it may.
std::string_view restricted_label(std::string_view key);

}  // namespace sunup::fleet
