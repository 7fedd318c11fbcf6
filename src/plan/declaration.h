// How a step of native provisioning is declared: what it is for, what it needs and gives, whose files it writes, and a
// body that reads like the script it replaces. The engine's Step is made from it for one config on one image.
//
//   Declaration{.name = "kernel.settings",
//               .purpose = "sets kernel parameters, now and for later boots",
//               .original = "B40",
//               .task = "AKS.CSE.ensureSysctl",
//               .needs = {"kernel.modules"},
//               .concerns = {"kernel settings"},     // render::node::concerns(): their files are written first
//               .exit_code = 103,
//               .body = set_kernel_keys}
//
// To add a step: write the declaration and its body in the file of its subject (or a new one, then list it in
// catalogue.cc), run plan_test, and record docs/steps.md anew. Laws of a body: it touches only what the declaration
// names (a test compares), and leads to the same state however often and wherever it was cut off.
#pragma once

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

// What a plan is made for.
struct Subject {
  aksnodeconfig::v1::Configuration config;
  NodeFacts facts;  // what is known before anything ran; the metadata service is asked by a step
  // The variable of the command that a field comes from, by the field's path; empty: a config was given.
  std::map<std::string, std::string, std::less<>> origins = {};
  bool files_only = false;  // --root: units, kernel, network and programs are left alone
  // Makes kubelet's own serving certificate: a key costs a tenth of a second, which simulations do not have.
  Result<ServingPair> (*make_certificate)(const std::string& hostname) = make_serving_certificate;
  Result<std::vector<Hook>> hooks = std::vector<Hook>();  // what read_hooks() said
};
using SubjectPtr = std::shared_ptr<const Subject>;

using Names = std::vector<std::string>;

struct Declaration {
  std::string_view name;
  std::string_view purpose;
  std::string_view original;            // the steps of the original it does the work of: "B26, B40"
  std::string_view task = {};           // the event that the guest agent gets: "AKS.CSE.ensureContainerd"; empty: none
  std::string_view when = "always";     // the condition in words,
  bool (*wanted)(const Subject&) = {};  // and as a rule; nothing: always
  // Can it be done at all? A config that is refused here is refused before anything has run.
  Result<void> (*possible)(const Subject&) = {};
  node::Phase phase = node::Phase::kNodePrep;
  Names needs = {};
  Names after = {};
  Names (*more_needs)(const Subject&) = {};  // that depend on the config
  Names provides = {};
  std::vector<std::string_view> concerns = {};
  std::vector<FileEffect> (*files)(const Subject&) = {};  // what the body writes, links or removes besides
  Names units = {};
  Names (*more_units)(const Subject&) = {};
  Names touches = {};
  bool deferred = false;
  Lasts lasts = Lasts::kThisBoot;
  Duration deadline = std::chrono::seconds(60);
  Retry retry = {};
  void (*patience)(const Subject&, engine::Step&) = {};  // sets deadline and retry, where the config decides
  bool fatal = true;
  int exit_code = 0;
  // Nothing: the concerns' files are all of it.
  Task<Result<void>> (*body)(Context&, SubjectPtr) = {};
  Task<Result<void>> (*take_back)(Context&, SubjectPtr) = {};  // see engine::Step
};

// Is it part of the plan for this subject?
bool applies(const Declaration& declaration, const Subject& subject);

// The step. The error says why it is not possible, or which concern's files cannot be made, with the step's exit code
// if it has none.
Result<engine::Step> make_step(const Declaration& declaration, const SubjectPtr& subject);

// An error about a field of a config that comes from a command, with the variable: "... (from the command's LOCATION)".
std::string with_origin(std::string error, const std::map<std::string, std::string, std::less<>>& origins);

// The step that such an error is about; empty: none, it is about the config as a whole.
std::string_view refused_step(const Error& error);

// When kubelet was started, until its kubeconfig is there: by its text for people, by its time of change for us.
inline constexpr char kBootstrapStart[] = "/opt/azure/containers/tls-bootstrap-start-time";

// What a step says that provides this: "yes" if any of its concerns' files was not there as wanted, else "no".
inline constexpr char kRuntimeChanged[] = "containerd.changed";

// The step that has systemd read units. It comes after every step that writes some (catalogue.cc derives it).
inline constexpr char kUnitsLoaded[] = "kubelet.load";

// The step that moves /var/lib/kubelet. It comes before every step that writes or mounts there (catalogue.cc).
inline constexpr char kFolderMoved[] = "kubelet.disk";

// The name under which the metadata service's answer is given to the steps that need it.
inline constexpr char kMetadata[] = "imds.metadata";

// The subject's facts, with what the metadata service said if the step needs that.
Result<NodeFacts> facts_now(const Context& context, const Subject& subject);

// Writes the files that are not there with the same bytes and mode already, but those that are edited. True: there was
// something to write. A file whose text decides something is made durable at once: a power cut must leave the old text
// or the new one, because the next run goes by what it finds.
Result<bool> write_files(host::Files& files, const node::NodeFiles& wanted, const NodeFacts& facts);

}  // namespace sunup::plan
