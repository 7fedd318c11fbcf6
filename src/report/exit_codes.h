// The exit codes of the provisioning contract: the meaning of each number, the remedy, and whether a new attempt may
// help. `sunup exit-code`, `sunup status parse`, the explanations in provision.json and docs/exit-codes.md use the same
// table.
//
//   const ExitCode* code = find_exit_code("ERR_OUTBOUND_CONN_FAIL");   // or find_exit_code(50)
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sunup::report {

// Where a code can currently come from.
enum class Standing {
  kLive,        // provisioning of a node can end with it
  kImageBuild,  // only the build of a node image ends with it
  kReserved,    // defined by the contract, raised by no current step; old images may still send it
};

// The class of a failure, from which an autoscaler can decide what to do: for quota, image and config it stops creating
// and deleting nodes in a loop, because the next node fails too. No code of a node has the class quota, because without
// quota there is no VM.
enum class FailureClass {
  kNone,       // no failure
  kQuota,      // the subscription or the region has no room
  kNetwork,    // something that the node needs cannot be reached
  kImage,      // the node image lacks a required part
  kConfig,     // the config requests something impossible
  kTransient,  // specific to this machine at this time
};

struct ExitCode {
  int number;
  std::string_view name;  // ERR_...; empty if the contract has none
  std::string_view area;  // the affected part of the node: "network", "kubelet", ...
  std::string_view step;  // the steps that raise it, by their event names; empty: no particular step
  std::string_view meaning;
  std::string_view remedy;
  bool retry_may_help;  // whether the same request may succeed if it is sent again
  FailureClass failure;
  Standing standing;
};

// Sorted by number; numbers are unique.
std::span<const ExitCode> exit_codes();

// nullptr if the contract does not define it. Names match with or without "ERR_", in any letter case.
const ExitCode* find_exit_code(int number);
const ExitCode* find_exit_code(std::string_view name);

std::string_view name_of(Standing standing);
// "quota", "network", "image", "config", "transient"; empty: no failure
std::string_view name_of(FailureClass failure);

// The content of docs/exit-codes.md.
std::string exit_codes_markdown();

// A code as a short text of several lines.
std::string explain(const ExitCode& code);

}  // namespace sunup::report
