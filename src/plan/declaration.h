// The declaration of a step of native provisioning: its purpose, what it needs and provides, the concerns whose files
// it writes, and a body that does the work. make_step() turns it into the engine's Step for one config on one image.
//
//   Declaration{.name = "kernel.settings",
//               .purpose = "sets kernel parameters, now and for later boots",
//               .original = "B40",
//               .task = "AKS.CSE.ensureSysctl",
//               .needs = {"kernel.modules"},
//               .concerns = {"kernel settings"},     // render::node::concerns(): their files are written first
//               .exit_code = exit_code::kSysctlReload,
//               .body = set_kernel_keys}
//
// To add a step, write the declaration and its body in the file of its concern (or in a new one, listed in
// catalogue.cc), run plan_test, and record docs/steps.md again. A body changes only what the declaration names (a test
// checks this). It must be idempotent: after an interruption at any point, another run leads to the same state.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/step.h"
#include "plan/hook.h"
#include "plan/serving_certificate.h"
#include "render/node/files.h"

namespace sunup::plan {

namespace node = render::node;
using engine::Context;
using engine::Duration;
using engine::FileEffect;
using engine::Lasts;
using engine::Retry;
using host::Task;
using node::NodeFacts;

// The input for a plan.
struct Subject {
  aksnodeconfig::v1::Configuration config;
  NodeFacts facts;  // at the start; a step queries the metadata service
  // For a command: the path of a field -> the variable from which it is computed. Empty for a config.
  std::map<std::string, std::string, std::less<>> origins = {};
  bool files_only = false;  // --root: units, kernel, network and programs are not touched
  // Makes kubelet's serving certificate. Simulations replace it, because a key takes a tenth of a second.
  Result<ServingPair> (*make_certificate)(const std::string& hostname) = make_serving_certificate;
  Result<std::vector<Hook>> hooks = std::vector<Hook>();  // the result of read_hooks()
};
using SubjectPtr = std::shared_ptr<const Subject>;

using Names = std::vector<std::string>;

template <class Range>
bool contains(const Range& range, std::string_view one) {
  return std::ranges::find(range, one) != range.end();
}

struct Declaration {
  std::string_view name;
  std::string_view purpose;
  std::string_view original;            // the steps of the original that it replaces: "B26, B40"
  std::string_view task = {};           // the guest agent's event: "AKS.CSE.ensureContainerd"; empty: none
  std::string_view when = "always";     // the condition as text,
  bool (*wanted)(const Subject&) = {};  // and as a function; null: always
  // Whether the step is possible. An error refuses the config before any step has run.
  Result<void> (*possible)(const Subject&) = {};
  node::Phase phase = node::Phase::kNodePrep;
  Names needs = {};
  Names after = {};
  Names (*more_needs)(const Subject&) = {};  // additional ones that depend on the config
  Names provides = {};
  std::vector<std::string_view> concerns = {};
  std::vector<FileEffect> (*files)(const Subject&) = {};  // files that the body itself writes, links or removes
  Names units = {};
  Names (*more_units)(const Subject&) = {};
  Names touches = {};
  bool deferred = false;
  Lasts lasts = Lasts::kThisBoot;
  Duration deadline = std::chrono::seconds(60);
  Retry retry = {};
  void (*patience)(const Subject&, engine::Step&) = {};  // sets deadline and retry if they depend on the config
  bool fatal = true;
  int exit_code = 0;
  // Null: the step only writes the files of its concerns.
  Task<Result<void>> (*body)(Context&, SubjectPtr) = {};
  Task<Result<void>> (*take_back)(Context&, SubjectPtr) = {};  // see engine::Step
};

// Whether it is part of the plan for this subject.
bool applies(const Declaration& declaration, const Subject& subject);

// The error is the reason why the step is not possible, or names the concern whose files cannot be rendered. It has the
// exit code of the step unless it has its own.
Result<engine::Step> make_step(const Declaration& declaration, const SubjectPtr& subject);

// Adds the variable to an error about a field that comes from a command: "... (from the command's LOCATION)".
std::string with_origin(std::string error, const std::map<std::string, std::string, std::less<>>& origins);

// Exists from the start of kubelet until its kubeconfig exists. Its change time is the start time; its text is the same
// time for people.
inline constexpr char kBootstrapStart[] = "/opt/azure/containers/tls-bootstrap-start-time";

// The value is "yes" if a file of the step's concerns had to be written, otherwise "no".
inline constexpr char kRuntimeChanged[] = "containerd.changed";

// The step that makes systemd read units. It comes after every step that writes units (catalogue.cc).
inline constexpr char kUnitsLoaded[] = "kubelet.load";

// The step that moves /var/lib/kubelet. It comes before every step that writes or mounts there (catalogue.cc).
inline constexpr char kFolderMoved[] = "kubelet.disk";

// The name of the output with the reply of the metadata service.
inline constexpr char kMetadata[] = "imds.metadata";

// The subject's facts, with the reply of the metadata service if the step needs it.
Result<NodeFacts> facts_now(const Context& context, const Subject& subject);

// Writes the files whose content or mode differs, except edited ones. Returns true if a file was written. A file whose
// text affects the plan (NodeFacts::was_read) is durable when this returns: after a power cut it must have the old or
// the new text, because the next plan depends on it.
Result<bool> write_files(host::Files& files, const node::NodeFiles& wanted, const NodeFacts& facts);

}  // namespace sunup::plan
