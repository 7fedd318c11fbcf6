// The variables of a ready-made bootstrap command (the "nbc" file), and how they differ from the ones made from a
// config: what tells a control plane that both ways of provisioning a node would do the same.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "render/cse_env.h"

namespace sunup::render {

// Finds NAME=value assignments in the text of a command file without running it: tokens end at a space, tab, LF or ';',
// quotes hold them together (no escapes, no expansion), and the last assignment to a name wins. Names match
// [A-Z_][A-Z0-9_]*. Any text is fine.
std::map<std::string, std::string> nbc_environment(std::string_view text);

// Items "only-in-pc: K", "only-in-nbc: K" and "differs: K", sorted by K; values are never told. `pc` is the environment
// made from the provision config; what it shares with `inherited` is left out of it first.
std::vector<std::string> compare_environments(const Environment& pc, const std::map<std::string, std::string>& nbc,
                                              const std::map<std::string, std::string>& inherited);

}  // namespace sunup::render
