// Reads a ready-made bootstrap command (the "nbc" file) without running any of it.
//
// A command is a fixed text with values in it: two statements about a log file, possibly a wait for cloud-init (older
// commands), possibly a hook of the cloud, and then one simple command, nohup, whose prefix assignments are the
// variables. Words, quotes, escapes and `;` are read by bash's rules. Everything else is refused with its column and
// the reason, because its effect is only known by running it: another statement, an expansion or a command substitution
// in a value, a blank that is not quoted, another command at the end, a variable that is not known.
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

// A larger file is refused before it is read. Commands of nodes have 10 to 40 kB.
inline constexpr size_t kMaxNbcBytes = 4u << 20;

struct NbcVariable {
  std::string name;
  std::string value;
  size_t at = 0;     // of the name in the text
  bool nil = false;  // the sender printed "<nil>": there is no value
};

struct NbcCommand {
  std::vector<NbcVariable> variables;  // sorted by name; of a name that is assigned twice, the last one
  std::vector<std::string> remarks;    // what was tolerated

  const NbcVariable* find(std::string_view name) const;  // null: it is not there
  std::string_view value(std::string_view name) const;   // empty: it is not there, or nil
};

Result<NbcCommand> read_nbc_command(std::string_view text);

// Does the text begin like a command? Then it is meant to be one, and not a config.
bool looks_like_nbc_command(std::string_view text);

// "column 812", or "line 2, column 5".
std::string nbc_place(std::string_view text, size_t at);

// Variables of commands that a config has no field for and that nothing on a node depends on any more.
bool is_retired_nbc_variable(std::string_view name);

}  // namespace sunup::render
