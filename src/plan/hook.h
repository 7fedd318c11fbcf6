// Hooks: steps that an image or the custom data declares in /etc/aks-node-controller/steps.d/NAME.json. docs/hooks.md
// describes them for users, docs/hook.schema.json for programs.
//
//   {"argv": ["/usr/local/bin/mount-cache", "/dev/sdb"], "before": ["kubelet.started"], "deadline": "30s"}
//
// A hook becomes an engine::Step like any other. Unless it is declared to come before something that kubelet waits for,
// it comes after kubelet's start, so it cannot delay kubelet.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/step.h"

namespace sunup::plan {

struct Subject;

struct Hook {
  std::string name;  // of the file, without ".json"; also the name of the step
  std::string purpose;
  std::vector<std::string> argv;
  std::vector<std::string> needs;        // steps or milestones that must have succeeded
  std::vector<std::string> after;        // that come first, even if they fail
  std::vector<std::string> before;       // that wait for it, even if it fails
  std::vector<std::string> environment;  // names of variables that its program gets
  engine::Duration deadline = std::chrono::seconds(60);
  int retries = 0;
  bool fatal = true;
  bool deferred = false;
  std::string text;  // of the declaration: when it changes, the step runs again

  bool operator==(const Hook&) const = default;
};

// The members that a declaration may have.
std::vector<std::string_view> hook_members();

// Any bytes are a declaration or are refused. The error starts with "step NAME: ".
Result<Hook> parse_hook(std::string_view name, std::string_view text);

// All declarations, sorted by name. Files and directories that users other than root can modify are refused. In a tree
// (`files_only`) they may also belong to the current user.
Result<std::vector<Hook>> read_hooks(host::Files& files, bool files_only);

// Adds the subject's hooks to the steps of its plan. Names that the catalogue uses and references to steps that do not
// exist are refused.
Result<void> add_hooks(const Subject& subject, const std::string& milestone, std::vector<engine::Step>& steps);

// An error of the graph, with the first hook among the steps that it is about as its step.
Error blame_hook(const Subject& subject, const std::set<std::string>& involved, Error error);

}  // namespace sunup::plan
