// The exit codes of the provisioning contract: what each number means, what to do about it, and whether a new attempt
// may help. `sunup exit-code`, `sunup status parse`, the explanations in provision.json and docs/exit-codes.md use the
// same table.
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

// What an autoscaler can do about a failure: one of quota, image or config ends a loop of creating and deleting nodes,
// because the next node fails too. No code of a node is about quota: then there is no VM.
enum class FailureClass {
  kNone,       // no failure
  kQuota,      // the subscription or the region has no room
  kNetwork,    // something that the node needs cannot be reached
  kImage,      // the node image lacks something
  kConfig,     // the config asks for something that cannot be
  kTransient,  // this machine, at this time
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

// Sorted by number, no number twice.
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
