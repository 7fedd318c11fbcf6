// The verbs of aks-node-controller: each is one file with its flags, its help and what it does. Its return value is the
// exit code.
#pragma once

#include "controller/command_line.h"
#include "program.h"

namespace sunup {

struct Verb {
  controller::VerbSyntax syntax;
  int (*run)(Program& program, const controller::CommandLine& line);
  bool only_looks = false;     // changes nothing, not even the log; anybody may run it
  bool leaves_result = false;  // others wait for what it leaves, however it fails
};

// --root "$TREE" with TREE unset is a mistake of whoever builds an image; without this it would mean this machine.
inline std::optional<std::string> wrong_root(std::string_view value) {
  if (!value.empty()) return std::nullopt;
  return "must name a directory";
}

extern const Verb kProvision;
extern const Verb kProvisionWait;
extern const Verb kLaunch;
extern const Verb kBootstrap;
extern const Verb kReportReady;
extern const Verb kApplyEmbeddedHotfix;
extern const Verb kApplyHotfix;
extern const Verb kApplyNodeCustomData;
extern const Verb kCheckHotfix;
extern const Verb kDownloadHotfix;
extern const Verb kKubeletPrestart;
extern const Verb kPlan;
extern const Verb kCheckImage;
extern const Verb kTimeline;
extern const Verb kVersion;

inline constexpr const Verb* kVerbs[] = {
    &kProvision,      &kProvisionWait,       &kLaunch,      &kBootstrap,           &kReportReady,
    &kPlan,           &kCheckImage,          &kTimeline,    &kKubeletPrestart,     &kCheckHotfix,
    &kDownloadHotfix, &kApplyEmbeddedHotfix, &kApplyHotfix, &kApplyNodeCustomData, &kVersion};

}  // namespace sunup
