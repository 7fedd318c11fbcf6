#include "plan/catalogue.h"

#include <algorithm>

#include "plan/subjects.h"

namespace sunup::plan {

using namespace std::chrono_literals;

const std::vector<Declaration>& catalogue() {
  static const std::vector<Declaration> kAll = [] {
    std::vector<Declaration> all;
    for (Declarations (*chapter)() :
         {image_check_steps, metadata_steps,    kernel_steps,        runtime_steps,   network_steps,
          identity_steps,    binary_steps,      dns_steps,           image_steps,     gpu_steps,
          gpu_offer_steps,   gpu_prebake_steps, kubelet_steps,       bootstrap_steps, registry_login_steps,
          cloud_trust_steps, check_steps,       search_domain_steps, access_steps,    later_steps}) {
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

bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool writes_units(const engine::Step& step) {
  return std::any_of(step.files.begin(), step.files.end(), [](const FileEffect& file) {
    return file.path.starts_with("/etc/systemd/system/") || file.path.starts_with("/run/systemd/system/");
  });
}

// Who writes units says so by the files it declares; the reload before kubelet comes after all of them, but for those
// that containerd's own reload has read already and those whose turn is after kubelet.
void order_reload(std::vector<engine::Step>& steps) {
  const auto named = [&steps](std::string_view name) {
    return std::find_if(steps.begin(), steps.end(), [name](const engine::Step& step) { return step.name == name; });
  };
  const auto load = named(kUnitsLoaded);
  const auto runtime = named("containerd.start");
  if (load == steps.end()) return;
  for (const engine::Step& step : steps) {
    if (!writes_units(step) || step.phase == engine::Phase::kDeferred || contains(load->needs, step.name)) continue;
    if (contains(step.needs, "kubelet.started") || contains(step.after, "kubelet.started")) continue;
    const bool read =
        runtime != steps.end() && (contains(runtime->needs, step.name) || contains(runtime->after, step.name));
    if (!read) load->after.push_back(step.name);
  }
}

// Nothing is touched on an image that is refused.
void look_at_image_first(std::vector<engine::Step>& steps) {
  static constexpr char kCheck[] = "image.check";
  if (std::none_of(steps.begin(), steps.end(), [](const engine::Step& step) { return step.name == kCheck; })) return;
  for (engine::Step& step : steps)
    if (step.name != kCheck) step.after.emplace_back(kCheck);
}

}  // namespace

Result<engine::Graph> derive(const SubjectPtr& subject) {
  std::vector<engine::Step> steps;
  for (const Declaration& declaration : catalogue()) {
    if (!applies(declaration, *subject)) continue;
    auto step = make_step(declaration, subject);
    if (!step) return std::move(step).error();
    steps.push_back(*std::move(step));
  }
  order_reload(steps);
  look_at_image_first(steps);
  return engine::Graph::make(std::move(steps),
                             subject->config.pre_provision_only() ? "containerd.started" : "kubelet.started");
}

engine::Profile usual_profile() {
  engine::Profile profile;
  const std::pair<const char*, Duration> kKnown[] = {
      {"containerd.start", 60ms}, {"containerd.ready", 400ms}, {"imds.metadata", 10ms},
      {"kubelet.binary", 30ms},   {"kubelet.load", 60ms},      {"kubelet.start", 20ms},
      {"kubelet.protect", 30ms},  {"kernel.modules", 20ms},    {"kubelet.serving_certificate", 150ms},
      {"localdns.start", 1500ms}, {"trust.update", 600ms},
  };
  for (const auto& [name, took] : kKnown) profile.record(name, took);
  return profile;
}

}  // namespace sunup::plan
