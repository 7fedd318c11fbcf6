// The hotfix pointer: the newer patch of this program, or of the image's scripts, that a node should have. check-hotfix
// or an operator writes the file, and download-hotfix reads it.
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

// An empty text (or white space) is an empty pointer. Unknown members are ignored; names match in any case.
Result<HotfixPointer> parse_pointer(std::string_view text);

// Compact, without empty versions; `hotfixes` always exists and is sorted.
std::string to_json(const HotfixPointer& pointer);

// The member `hotfixes` of a node config: the pointer in the custom data, for a node that cannot reach the service.
// Empty if there is none, or if it is empty.
Result<std::optional<std::map<std::string, std::string>>> cold_start_hotfixes(std::string_view node_config);

// "202604.01" of "202604.01.3". The leading zero stays, because it is text, not a number.
std::optional<std::string> base_of(std::string_view version);

// The version that the pointer requests for a program of this version; empty: none.
std::string wanted_version(const HotfixPointer& pointer, std::string_view own_version);

// A hotfix is the same release with a higher patch. An error if either is not a version.
Result<bool> is_hotfix_for(std::string_view own_version, std::string_view wanted);

// Whether this version is a hotfix of this program. A version that cannot be compared is logged and skipped.
bool passes_gate(Node& node, const std::string& wanted, std::string_view what);

}  // namespace sunup::controller
