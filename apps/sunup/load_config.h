// Reading what a verb's arguments name ("-" is standard input), with everything a person should hear on stderr.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "contract/load.h"
#include "render/nbc_config.h"

namespace sunup {

// A config as `sunup config check` sees it: an Error with os_errno set means that it could not be read.
Result<contract::Loaded> read_config(const std::string& file, contract::Details* details = nullptr,
                                     std::string* text = nullptr);

// The same, for a verb that also takes a command (--nbc-cmd of aks-node-controller) where it takes a config: `command`
// then holds what it says besides its config.
Result<contract::Loaded> read_config_or_command(const std::string& file, render::NbcConfig& command,
                                                contract::Details* details = nullptr);

struct LoadedConfig {
  contract::Configuration config;
  contract::UnknownMembers unknown;  // members that this version does not know
  std::string text;                  // the file's own bytes
};

enum class Checked {
  kNot,     // it is only looked at
  kTold,    // a node is to be made of it: whoever goes on with errors in it should know
  kStrict,  // and not go on
};

// A config that something is to be made of. What was tolerated in it goes to stderr as warnings, and so do the errors
// that the check finds. Nothing when it cannot be used: then the reason is on stderr and `exit_code` is set (1 refused,
// 2 not readable).
std::optional<LoadedConfig> load_config(const std::string& file, Checked checked, int& exit_code);

inline constexpr char kStrictHelp[] = "refuse a config in which `sunup config check` finds errors";

// A word on stderr about a --containerd-version that holds no version: it is taken as 1.x, as a node's scripts take it.
void remark_on_containerd_version(const std::string& given);

// The bytes of an input, or one line on stderr and exit code 2.
std::optional<std::string> read_input(const std::string& file, int& exit_code);

}  // namespace sunup
