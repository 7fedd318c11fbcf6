// Reads a ready-made bootstrap command (the "nbc" file) without running any of it.
//
// A command is a fixed text with values in it: two statements about a log file, possibly a wait for cloud-init (older
// commands), possibly a hook of the cloud, and then one simple command, nohup, whose prefix assignments are the
// variables. Words, quotes, escapes and `;` are read by bash's rules. Anything else is refused with its column and the
// reason, because its effect is known only by running it: another statement, an expansion or a command substitution in
// a value, an unquoted blank, another command at the end, an unknown variable.
//
//   Result<NbcCommand> command = read_nbc_command(text);
//   if (!command) ...  // "column 812: ..."; the error contains names of variables, never values
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sunup::render {

// A larger file is refused before it is read. The commands of real nodes have 10 to 40 kB.
inline constexpr size_t kMaxNbcBytes = 4u << 20;

struct NbcVariable {
  std::string name;
  std::string value;
  size_t at = 0;     // the position of the name in the text
  bool nil = false;  // the sender printed "<nil>", which means no value
};

struct NbcCommand {
  std::vector<NbcVariable> variables;  // sorted by name; if a name is assigned twice, the last assignment
  std::vector<std::string> remarks;    // what was tolerated

  const NbcVariable* find(std::string_view name) const;  // null if it is missing
  std::string_view value(std::string_view name) const;   // empty if it is missing or nil
};

Result<NbcCommand> read_nbc_command(std::string_view text);

// Whether the text begins like a command. If so, it is treated as one, not as a config.
bool looks_like_nbc_command(std::string_view text);

// "column 812", or "line 2, column 5".
std::string nbc_place(std::string_view text, size_t at);

// Variables of commands that have no corresponding config field and that no longer affect a node.
bool is_retired_nbc_variable(std::string_view name);

}  // namespace sunup::render
