// The verbs of aks-node-controller. Each one is a file with the verb's flags, help and function. The return value is
// the exit code.
#pragma once

#include "controller/command_line.h"
#include "program.h"

namespace sunup {

struct Verb {
  controller::VerbSyntax syntax;
  int (*run)(Program& program, const controller::CommandLine& line);
  bool only_looks = false;     // modifies nothing, not even the log; any user may run it
  bool leaves_result = false;  // other programs wait for its result, however it fails
};

// `--root "$TREE"` with an unset TREE is a likely mistake in an image build. Without this check it would select this
// machine.
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
