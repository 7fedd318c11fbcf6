// The two modes of provisioning: the image's own scripts, or the built-in steps.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "controller/node.h"

namespace sunup::controller {

enum class Mode { kAuto, kNative, kScripts };

std::optional<Mode> parse_mode(std::string_view text);  // empty: kAuto

// Resolves kAuto: native if the image requests it (NATIVE_PROVISIONING=true in its features file), if it has no
// scripts, or if `files_only` (below --root only files may change, and scripts do not support that); otherwise scripts.
Result<Mode> choose_mode(Node& node, Mode asked, bool files_only);

// The input that provisions the node if both are given: the command, unless the features file contains
// USE_AKS_NODE_CONFIG=true.
enum class Source { kConfig, kCommand };
std::string_view name_of(Source source);  // "provision-config", "nbc-cmd", as in the log
Result<Source> choose_source(Node& node, bool has_config, bool has_command);

// The features file: NAME=value lines. Lines whose name is not a shell identifier do not count; the value is everything
// after the first '=' and empty without one; the last line of a name wins.
std::map<std::string, std::string> parse_features(std::string_view text);

}  // namespace sunup::controller
