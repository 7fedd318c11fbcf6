#include "plan/catalogue.h"

#include <algorithm>
#include <set>

#include "plan/gather.h"
#include "plan/subjects.h"
#include "plan/unit_files.h"

namespace sunup::plan {

using namespace std::chrono_literals;

const std::vector<Declaration>& catalogue() {
  static const std::vector<Declaration> kAll = [] {
    std::vector<Declaration> all;
    for (Declarations (*chapter)() :
         {image_check_steps, metadata_steps,       kernel_steps,      runtime_steps,     network_steps,
          cni_steps,         identity_steps,       binary_steps,      dns_steps,         image_steps,
          gpu_steps,         gpu_instance_steps,   gpu_offer_steps,   gpu_prebake_steps, kubelet_steps,
          bootstrap_steps,   registry_login_steps, cloud_trust_steps, check_steps,       search_domain_steps,
          access_steps,      leftover_steps,       later_steps,       disk_steps,        join_steps}) {
      for (Declaration& step : chapter()) all.push_back(std::move(step));
    }
    return all;
  }();
  return kAll;
}

const Declaration* find_step(std::string_view name) {
  const auto& all = catalogue();
  const auto found = std::find_if(all.begin(), all.end(), [name](const Declaration& d) { return d.name == name; });
  return found == all.end() ? nullptr : &*found;
}

namespace {

bool belongs_to(std::string_view file, std::string_view unit) {
  return file == unit || file.starts_with(std::string(unit) + ".d/");
}

enum class WhichUnits { kAny, kOthers };  // kOthers: all but containerd's and kubelet's

bool writes_units(const engine::Step& step, WhichUnits which = WhichUnits::kAny) {
  return std::any_of(step.files.begin(), step.files.end(), [which](const FileEffect& file) {
    // The manager's own config contains the environment of all units.
    if (file.path.starts_with("/etc/systemd/system.conf")) return true;
    for (const std::string_view folder : {"/etc/systemd/system/", "/run/systemd/system/"}) {
      if (!file.path.starts_with(folder)) continue;
      const std::string_view name = std::string_view(file.path).substr(folder.size());
      return which == WhichUnits::kAny ||
             (!belongs_to(name, "containerd.service") && !belongs_to(name, "kubelet.service"));
    }
    return false;
  });
}

// Orders the steps that write units before the step that reloads systemd. The declared files of a step determine
// whether it writes units. The steps of containerd and kubelet reload their own unit if necessary (unit_files.h); if
// other unit files are written before one of them, it reloads all units. Steps that do not precede containerd's start
// precede kubelet's reload, unless they follow kubelet's start.
void order_reload(std::vector<engine::Step>& steps) {
  const auto named = [&steps](std::string_view name) {
    return std::find_if(steps.begin(), steps.end(), [name](const engine::Step& step) { return step.name == name; });
  };
  const auto precedes = [](const engine::Step& step, const engine::Step& later) {
    return contains(later.needs, step.name) || contains(later.after, step.name);
  };
  const auto load = named(kUnitsLoaded);
  const auto runtime = named("containerd.start");
  bool others_before_runtime = false;
  bool others_before_kubelet = false;
  for (const engine::Step& step : steps) {
    if (!writes_units(step) || step.phase == engine::Phase::kDeferred) continue;
    if (contains(step.needs, "kubelet.started") || contains(step.after, "kubelet.started")) continue;
    if (runtime != steps.end() && precedes(step, *runtime)) {
      others_before_runtime |= writes_units(step, WhichUnits::kOthers);
      continue;
    }
    if (load == steps.end()) continue;
    others_before_kubelet |= writes_units(step, WhichUnits::kOthers);
    if (!precedes(step, *load)) load->after.push_back(step.name);
  }
  if (others_before_runtime) runtime->touches.emplace_back(kUnitFiles);
  if (others_before_kubelet) load->touches.emplace_back(kUnitFiles);
}

// Nothing is changed on an image that is refused.
void look_at_image_first(std::vector<engine::Step>& steps) {
  static constexpr char kCheck[] = "image.check";
  if (std::none_of(steps.begin(), steps.end(), [](const engine::Step& step) { return step.name == kCheck; })) return;
  for (engine::Step& step : steps)
    if (step.name != kCheck) step.after.emplace_back(kCheck);
}

// The directory is moved once. Files that are written to it during the move would be lost.
void move_folder_first(std::vector<engine::Step>& steps) {
  const auto is_move = [](const engine::Step& step) { return step.name == kFolderMoved; };
  if (std::none_of(steps.begin(), steps.end(), is_move)) return;
  const auto works_there = [](const engine::Step& step) {
    return contains(step.touches, "mounts") || std::any_of(step.files.begin(), step.files.end(), [](const auto& file) {
             return file.path.starts_with("/var/lib/kubelet");
           });
  };
  for (engine::Step& step : steps)
    if (!is_move(step) && works_there(step)) step.after.emplace_back(kFolderMoved);
}

}  // namespace

Result<engine::Graph> derive(const SubjectPtr& subject) {
  std::vector<engine::Step> steps;
  const auto& image = subject->facts.image;
  for (const Declaration& declaration : catalogue()) {
    const bool wanted = applies(declaration, *subject);
    auto step = wanted ? make_step(declaration, subject) : engine::Step();
    // If an image cannot be read, a plan for it may be wrong, and so may a refusal.
    if (auto unread = image_error(image ? image->error() : std::nullopt)) return *std::move(unread);
    if (!wanted) continue;
    if (!step) return std::move(step).error();
    steps.push_back(*std::move(step));
  }
  const std::string milestone = subject->config.pre_provision_only() ? "containerd.started" : "kubelet.started";
  order_reload(steps);
  if (auto added = add_hooks(*subject, milestone, steps); !added) return std::move(added).error();
  move_folder_first(steps);
  look_at_image_first(steps);
  std::set<std::string> involved;
  auto graph = engine::Graph::make(std::move(steps), milestone, &involved);
  if (!graph) return blame_hook(*subject, involved, std::move(graph).error());
  return graph;
}

engine::Profile usual_profile() {
  engine::Profile profile;
  const std::pair<const char*, Duration> known[] = {
      {"containerd.start", 60ms}, {"containerd.ready", 400ms}, {"imds.metadata", 10ms},
      {"kubelet.binary", 30ms},   {"kubelet.load", 60ms},      {"kubelet.start", 20ms},
      {"kubelet.protect", 30ms},  {"kernel.modules", 20ms},    {"kubelet.serving_certificate", 150ms},
      {"localdns.start", 1500ms}, {"trust.update", 600ms},
  };
  for (const auto& [name, took] : known) profile.record(name, took);
  return profile;
}

}  // namespace sunup::plan
