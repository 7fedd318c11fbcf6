// Reads the inputs that a verb's arguments name ("-" is standard input), and prints warnings and errors to stderr.
#pragma once

#include <optional>
#include <string>

#include "contract/load.h"
#include "render/nbc_config.h"

namespace sunup {

// Loads a config as `sunup config check` does. An Error with os_errno set means that the file could not be read.
Result<contract::Loaded> read_config(const std::string& file, contract::Details* details = nullptr,
                                     std::string* text = nullptr);

// The same, for a verb that accepts a command (--nbc-cmd of aks-node-controller) as well as a config: `command` then
// contains what it specifies besides its config.
Result<contract::Loaded> read_config_or_command(const std::string& file, render::NbcConfig& command,
                                                contract::Details* details = nullptr);

struct LoadedConfig {
  contract::Configuration config;
  contract::UnknownMembers unknown;  // members that this version does not know
  std::string text;                  // the file's own bytes
};

enum class Checked {
  kNot,     // the config is only displayed
  kTold,    // the config is used to create a node, so its errors are printed
  kStrict,  // the config is refused if it has errors
};

// Loads a config that is used to create something. Tolerated problems and the errors that the check finds are printed
// to stderr. No value if the config is not usable: then the reason is on stderr and `exit_code` is set (1 refused, 2
// not readable).
std::optional<LoadedConfig> load_config(const std::string& file, Checked checked, int& exit_code);

inline constexpr char kStrictHelp[] = "refuse a config in which `sunup config check` finds errors";

// Prints a warning if the argument of --containerd-version contains no version. It is treated as 1.x, as by the scripts
// of a node.
void remark_on_containerd_version(const std::string& given);

// The bytes of an input. On error, prints one line to stderr and sets the exit code 2.
std::optional<std::string> read_input(const std::string& file, int& exit_code);

}  // namespace sunup
