// Adds hooks to a plan, and runs them.
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <set>

#include "base/nearest.h"
#include "base/node_paths.h"
#include "base/text.h"
#include "contract/secrets.h"
#include "plan/catalogue.h"
#include "plan/hook.h"
#include "plan/subjects.h"
#include "plan/trusted.h"
#include "render/cse_env.h"

namespace sunup::plan {
namespace {

using Environment = std::vector<std::string>;  // "NAME=value"

Error refused(const Hook& hook, std::string what) {
  return Error(std::move(what))
      .in_step(hook.name)
      .with_hint(fmt::format("correct or remove {}/{}.json", paths::kHooks, hook.name));
}

// Every name that a hook can refer to: steps of the catalogue, whether or not they are part of this plan, and
// milestones.
std::set<std::string, std::less<>> own_names() {
  std::set<std::string, std::less<>> names;
  for (const Declaration& step : catalogue()) {
    names.emplace(step.name);
    names.insert(step.provides.begin(), step.provides.end());
  }
  return names;
}

// Resolves a variable of the config (docs/config.md) or of this program's own environment. Credentials of the config
// are not available to hooks.
Result<Environment> environment_of(const Hook& hook, const Subject& subject) {
  Environment environment = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                             "HOOK_NAME=" + hook.name};
  if (hook.environment.empty()) return environment;
  const auto variables = render::cse_environment(subject.config, {subject.facts.containerd_version, {}});
  const auto secrets = contract::secrets_of(subject.config);
  for (const std::string& name : hook.environment) {
    std::string value;
    if (const auto found = variables.find(name); found != variables.end())
      value = found->second;
    else if (const char* own = std::getenv(name.c_str());
             own != nullptr)  // NOLINT(concurrency-mt-unsafe): never written
      value = own;
    else
      continue;
    for (const Secret& secret : secrets)
      if (secret.reveal().size() >= kShortestHidden && value.find(secret.reveal()) != std::string::npos)
        return refused(hook, fmt::format("the variable {} contains a credential, which hooks do not get", name));
    environment.push_back(name + "=" + value);
  }
  return environment;
}

// The program runs as root, so other users must be able to change neither it nor the declaration.
Result<void> check_program(host::Files& files, const std::string& path) {
  const auto info = files.info(path);
  if (!info) return info.error();
  if (info->kind != host::FileKind::kRegular || (info->mode & 0111) == 0) return Error(path + " is not a program");
  return only_root_changes(files, path, false);
}

Task<Result<void>> run_hook(Context& c, std::vector<std::string> argv, Environment environment, bool files_only) {
  if (files_only) co_return c.leave_out("run " + argv[0]);
  if (auto sound = check_program(c.host.files, argv[0]); !sound) co_return sound;
  host::Command command;
  command.argv = std::move(argv);
  command.env = std::move(environment);
  command.directory = "/";
  const std::string program = command.argv[0];
  auto exit = co_await c.host.processes.run(std::move(command));
  if (!exit) co_return std::move(exit).error();
  if (!exit->ok()) co_return exit->as_error(program);
  constexpr size_t kShown = 400;
  if (const std::string_view said = unicode::trimmed(exit->out); !said.empty())
    c.note(fmt::format("{} printed: {}", program, said.substr(said.size() > kShown ? said.size() - kShown : 0)));
  co_return Result<void>();
}

// The order of the steps: the steps that precede a name, directly or indirectly.
class Order {
 public:
  explicit Order(const std::vector<engine::Step>& steps) : steps_(steps) {
    for (size_t i = 0; i < steps.size(); ++i) {
      providers_[steps[i].name] = i;
      for (const std::string& name : steps[i].provides) providers_[name] = i;
    }
  }
  const size_t* provider(const std::string& name) const {
    const auto found = providers_.find(name);
    return found == providers_.end() ? nullptr : &found->second;
  }
  std::set<size_t> leading_to(const std::string& name) const {
    std::set<size_t> seen;
    std::vector<size_t> open;
    if (const size_t* step = provider(name)) open.push_back(*step);
    while (!open.empty()) {
      const size_t at = open.back();
      open.pop_back();
      if (!seen.insert(at).second) continue;
      for (const auto* list : {&steps_[at].needs, &steps_[at].after})
        for (const std::string& before : *list)
          if (const size_t* step = provider(before)) open.push_back(*step);
    }
    return seen;
  }

 private:
  const std::vector<engine::Step>& steps_;
  std::map<std::string, size_t> providers_;
};

Result<void> check_references(const Hook& hook, const std::set<std::string, std::less<>>& known) {
  for (const auto* list : {&hook.needs, &hook.after, &hook.before})
    for (const std::string& name : *list) {
      if (name == hook.name) return refused(hook, "it is ordered before or after itself");
      if (known.contains(name)) continue;
      const std::vector<std::string_view> names(known.begin(), known.end());
      const auto near = nearest(name, names, name.size() / 3 + 1);
      return refused(hook, fmt::format("there is no step or milestone '{}'{}", name,
                                       near ? fmt::format(" (did you mean '{}'?)", *near) : ""));
    }
  return {};
}

Result<engine::Step> step_of(const Hook& hook, const Subject& subject) {
  auto environment = environment_of(hook, subject);
  if (!environment) return std::move(environment).error();
  engine::Step step;
  step.name = hook.name;
  step.purpose = "hook: " + (hook.purpose.empty() ? "runs " + hook.argv[0] : hook.purpose);
  step.needs = hook.needs;
  step.after = hook.after;
  step.phase = hook.deferred ? engine::Phase::kDeferred : engine::Phase::kNormal;
  step.deadline = hook.deadline;
  step.retry.attempts = hook.retries + 1;
  step.fatal = hook.fatal;
  step.inputs = hook.text;
  step.lasts = engine::Lasts::kThisRun;  // its effect is not known, so it may not persist
  step.run = [argv = hook.argv, environment = *std::move(environment), files_only = subject.files_only](Context& c) {
    return run_hook(c, argv, environment, files_only);
  };
  return step;
}

}  // namespace

Result<void> add_hooks(const Subject& subject, const std::string& milestone, std::vector<engine::Step>& steps) {
  if (!subject.hooks) return subject.hooks.error();
  // A base image that is only prepared is not a node: hooks run in the second stage.
  if (subject.hooks->empty() || subject.config.pre_provision_only()) return {};
  const auto own = own_names();
  auto known = own;
  for (const Hook& hook : *subject.hooks) {
    if (own.contains(hook.name)) return refused(hook, "this is the name of a built-in step or milestone");
    known.insert(hook.name);
  }
  for (const Hook& hook : *subject.hooks) {
    if (auto found = check_references(hook, known); !found) return found;
    auto step = step_of(hook, subject);
    if (!step) return std::move(step).error();
    steps.push_back(*std::move(step));
  }
  const Order planned(steps);
  for (const Hook& hook : *subject.hooks) {
    for (const std::string& name : hook.needs)
      if (planned.provider(name) == nullptr)
        return refused(hook,
                       fmt::format("it needs '{}', which is not part of the plan for this config; 'after' does not "
                                   "require it",
                                   name));
    for (const std::string& name : hook.before) {
      if (is_only_observed(name))
        return refused(hook, fmt::format("no hook can come before '{}', which kubelet and the cluster decide; a hook "
                                         "before the join has \"before\": [\"kubelet.started\"]",
                                         name));
      if (const size_t* step = planned.provider(name)) steps[*step].after.push_back(hook.name);
    }
  }
  const std::set<size_t> critical = Order(steps).leading_to(milestone);
  for (size_t i = steps.size() - subject.hooks->size(); i < steps.size(); ++i)
    if (!critical.contains(i)) steps[i].after.push_back(milestone);
  return {};
}

Error blame_hook(const Subject& subject, const std::set<std::string>& involved, Error error) {
  if (!subject.hooks) return error;
  for (const Hook& hook : *subject.hooks)
    if (involved.contains(hook.name)) return refused(hook, std::move(error.what));
  return error;
}

}  // namespace sunup::plan
