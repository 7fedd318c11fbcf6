// A finding about a config: its place, rule, message and hint. The loader reports what it tolerates as findings, and
// the check reports mistakes as findings.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "base/json_reader.h"

namespace sunup::contract {

enum class Severity { kError, kWarning, kNote };

struct Finding {
  Severity severity = Severity::kError;
  std::string rule;  // "unknown-field"; docs/config-check.md lists them
  std::string path;  // "$.kubelet_config.kubelet_flags[\"--max-pods\"]"
  Position at;
  std::string message;
  std::string hint;
};

// Sorts by position; the order of findings at the same position is kept.
inline void sort_by_place(std::vector<Finding>& findings) {
  std::ranges::stable_sort(findings, {}, [](const Finding& one) { return std::tie(one.at.line, one.at.column); });
}

}  // namespace sunup::contract
