// The exit codes of the provisioning contract: what each number means, what to do about it, and whether a new attempt
// may help. One table feeds `sunup exit-code`, `sunup status parse`, provision.json's explanations and
// docs/exit-codes.md.
//
//   const ExitCode* code = find_exit_code("ERR_OUTBOUND_CONN_FAIL");   // or find_exit_code(50)
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sunup::report {

// Where a code can come from today.
enum class Standing {
  kLive,        // a node's provisioning can end with it
  kImageBuild,  // only the build of a node image ends with it
  kReserved,    // defined by the contract, raised by no current step; old images may still send it
};

struct ExitCode {
  int number;
  std::string_view name;  // ERR_...; empty where the contract has none
  std::string_view area;  // what part of the node it is about: "network", "kubelet", ...
  std::string_view step;  // the step(s) that raise it, by their event names; empty: none in particular
  std::string_view meaning;
  std::string_view remedy;
  bool retry_may_help;  // would the same request, sent again, have a fair chance?
  Standing standing;
};

// Sorted by number, no number twice.
std::span<const ExitCode> exit_codes();

// nullptr when the contract does not know it. Names match with or without "ERR_", in any letter case.
const ExitCode* find_exit_code(int number);
const ExitCode* find_exit_code(std::string_view name);

std::string_view name_of(Standing standing);

// docs/exit-codes.md, whole.
std::string exit_codes_markdown();

// One code as a short text for a person, several lines.
std::string explain(const ExitCode& code);

}  // namespace sunup::report
