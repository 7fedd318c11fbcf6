// The variables of a ready-made bootstrap command (the "nbc" file), and how they differ from the variables of a config,
// so a control plane can verify that both ways of provisioning are equivalent.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "render/cse_env.h"

namespace sunup::render {

// Finds NAME=value assignments in the text of a command file without executing it: tokens end at a space, tab, LF or
// ';', quotes group characters (no escapes, no expansion), and the last assignment to a name is used. Names match
// [A-Z_][A-Z0-9_]*. Any text is accepted.
std::map<std::string, std::string> nbc_environment(std::string_view text);

// Items "only-in-pc: K", "only-in-nbc: K" and "differs: K", sorted by K; values are never included. `pc` is the
// environment of the provision config.
std::vector<std::string> compare_environments(const Environment& pc, const std::map<std::string, std::string>& nbc);

}  // namespace sunup::render
