// Who does the work: the image's own scripts, or our built-in steps.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "controller/node.h"

namespace sunup::controller {

enum class Mode { kAuto, kNative, kScripts };

std::optional<Mode> parse_mode(std::string_view text);  // empty: kAuto

// Resolves kAuto: native if the image says so (NATIVE_PROVISIONING=true in its features file), if it has no scripts, or
// if `files_only` (below --root nothing but files may change, and scripts do not know that); else scripts.
Result<Mode> choose_mode(Node& node, Mode asked, bool files_only);

// The features file: NAME=value lines. Lines whose name is not a shell identifier do not count; the value is everything
// after the first '=' and empty without one; the last line of a name wins.
std::map<std::string, std::string> parse_features(std::string_view text);

}  // namespace sunup::controller
