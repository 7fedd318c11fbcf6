// The hotfix pointer: which newer patch of this program, or of the image's scripts, a node should have. A file that
// check-hotfix or an operator leaves, and download-hotfix reads.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "controller/node.h"

namespace sunup::controller {

struct HotfixPointer {
  std::string version;                          // wanted program version; counts only if `hotfixes` is empty
  std::string scripts_version;                  // wanted script version
  std::map<std::string, std::string> hotfixes;  // base YYYYMM.DD -> version YYYYMM.DD.PATCH
};

// An empty text (or white space) is an empty wish. Unknown members are ignored, names matched in any case.
Result<HotfixPointer> parse_pointer(std::string_view text);

// Compact, empty versions left out, `hotfixes` always there and sorted.
std::string to_json(const HotfixPointer& pointer);

// The member `hotfixes` of a node config: the pointer that comes with the custom data, for a node that cannot ask.
// Nothing if there is none, or if it is empty.
Result<std::optional<std::map<std::string, std::string>>> cold_start_hotfixes(std::string_view node_config);

// "202604.01" of "202604.01.3". The leading zero stays: it is text, not a number.
std::optional<std::string> base_of(std::string_view version);

// What the pointer wants of a program of this version; empty: nothing.
std::string wanted_version(const HotfixPointer& pointer, std::string_view own_version);

// A hotfix is the same release with a higher patch, nothing else. An error if either is not a version.
Result<bool> is_hotfix_for(std::string_view own_version, std::string_view wanted);

// Does the pointer want this version, and is it a hotfix for what we are? What cannot be compared is said and skipped.
bool passes_gate(Node& node, const std::string& wanted, std::string_view what);

}  // namespace sunup::controller
