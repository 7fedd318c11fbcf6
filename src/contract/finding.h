// What is to be said about a config: where, which rule, what, and what to do. Loading tolerates some things and says
// so with these; checking judges with them.
#pragma once

#include <string>
#include <vector>

namespace sunup::contract {

// 1-based; columns count characters (code points), as editors do. 0 means "no place in the text".
struct Position {
  int line = 0;
  int column = 0;
};

enum class Severity { kError, kWarning, kNote };

struct Finding {
  Severity severity = Severity::kError;
  std::string rule;  // "unknown-field"; docs/config-check.md lists them
  std::string path;  // "$.kubelet_config.kubelet_flags[\"--max-pods\"]"
  Position at;
  std::string message;
  std::string hint;
};

// In the order of the text; those of one place stay as they were.
void sort_by_place(std::vector<Finding>& findings);

}  // namespace sunup::contract
