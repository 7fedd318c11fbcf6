#include "generate.h"

#include <fmt/format.h>

#include <algorithm>

namespace sunup::simulation {
namespace {

using namespace std::chrono_literals;
using engine::Context;
using engine::Phase;
using engine::Step;
using host::Task;
using host::sim::Random;

constexpr const char* kMetadata = "http://169.254.169.254/metadata/instance";
constexpr const char* kUnpack = "/usr/bin/unpack";

enum class Kind {
  kWrite,
  kSecret,
  kLink,
  kEnable,
  kStart,
  kQueue,
  kProgram,
  kSysctl,
  kModule,
  kFetch,
  kFact,
  kSocket,
  kWork,
  kPause
};

struct Action {
  Kind kind;
  std::string path;  // or unit, setting, fact
  std::string content;
};

Task<Result<void>> act(Context& c, Action action) {
  switch (action.kind) {
    case Kind::kWrite:
      co_return c.host.files.write(action.path, action.content, 0644);
    case Kind::kSecret:
      co_return c.host.files.write(action.path, action.content, 0600);
    case Kind::kLink:
      co_return c.host.files.symlink(action.content, action.path);
    case Kind::kEnable: {
      std::vector<std::string> units;
      units.push_back(action.path);
      co_return co_await c.host.units.enable(std::move(units));
    }
    case Kind::kStart:
      co_return co_await c.host.units.start(action.path);
    case Kind::kQueue: {
      Result<void> queued = co_await c.host.units.restart(action.path, host::JobWait::kQueued);
      if (!queued) co_return queued;
      Result<host::UnitState> up = co_await c.host.units.becomes_active(action.path);
      if (!up) co_return std::move(up).error();
      co_return Result<void>();
    }
    case Kind::kProgram: {
      Result<host::Exit> exit = co_await c.host.processes.run(host::command(kUnpack, action.path, action.content));
      if (!exit) co_return std::move(exit).error();
      if (!exit->ok()) co_return exit->as_error("unpack");
      co_return Result<void>();
    }
    case Kind::kSysctl:
      co_return c.host.kernel.set_sysctl(action.path, action.content);
    case Kind::kModule: {
      std::vector<std::string> modules(1, action.path);
      co_return co_await c.host.kernel.load_modules(std::move(modules));
    }
    case Kind::kFetch: {
      host::HttpRequest request{.url = kMetadata, .limit = 5s};
      Result<host::HttpReply> reply = co_await c.host.network.request(std::move(request));
      if (!reply) co_return std::move(reply).error();
      if (reply->status != 200) co_return Error(fmt::format("metadata: status {}", reply->status));
      co_return c.give(c.step.name, reply->body);
    }
    case Kind::kFact: {
      Result<std::string> fact = c.fact(action.content);
      if (!fact) co_return std::move(fact).error();
      co_return c.host.files.write(action.path, *fact, 0644);
    }
    case Kind::kSocket:
      co_return co_await c.host.watch.socket_accepts(action.path);
    case Kind::kWork: {
      auto key = [content = action.content] { return content + content; };
      std::string made = co_await host::offload(c.host.work, key);
      co_return c.host.files.write(action.path, made, 0600);
    }
    case Kind::kPause:
      co_await c.host.loop.after(7ms);
      co_return Result<void>();
  }
  co_return Result<void>();
}

Task<Result<void>> act_all(Context& c, std::vector<Action> actions) {
  for (Action& action : actions) {
    Result<void> done = co_await act(c, std::move(action));
    if (!done) co_return done;
  }
  co_return Result<void>();
}

// Draws one action for a step and declares the resources that it uses.
Action draw(Random& random, size_t index, size_t number, Step* step, const std::vector<Step>& earlier,
            const std::vector<size_t>& needed) {
  Action action{
      static_cast<Kind>(random.below(14)), {}, fmt::format("content {} {} {}", index, number, random.below(1000))};
  const std::string file = fmt::format("/etc/step{}/{}", index, number);
  auto own_file = [&](mode_t mode) {
    action.path = file;
    step->files.push_back({file, mode});
  };
  switch (action.kind) {
    case Kind::kWrite:
      own_file(0644);
      // Sometimes a file that an earlier step has also written: the later one must win, also after a resume.
      if (!needed.empty() && random.chance(30)) {
        const Step& other = earlier[needed[random.below(needed.size())]];
        if (!other.files.empty() && other.files[0].mode == 0644)
          action.path = step->files.back().path = other.files[0].path;
      }
      break;
    case Kind::kSecret:
    case Kind::kWork:
      own_file(0600);
      break;
    case Kind::kLink:
    case Kind::kProgram:
      own_file(0644);
      break;
    case Kind::kEnable:
    case Kind::kStart:
    case Kind::kQueue:
      action.path = fmt::format("unit{}-{}.service", index, number);
      step->units.push_back(action.path);
      break;
    case Kind::kSysctl:
      action.path = fmt::format("net.setting{}.{}", index, number);
      break;
    case Kind::kModule:
      action.path = fmt::format("module{}_{}", index, number);
      break;
    case Kind::kFetch:
      break;
    case Kind::kFact: {
      action.kind = Kind::kPause;
      for (const size_t before : needed)
        if (earlier[before].inputs.find("fetch") != std::string::npos) {
          action.kind = Kind::kFact;
          action.content = earlier[before].name;
          own_file(0644);
          break;
        }
      break;
    }
    case Kind::kSocket: {
      action.kind = Kind::kPause;
      for (const size_t before : needed)
        if (!earlier[before].units.empty() && earlier[before].inputs.find("start") != std::string::npos) {
          action.kind = Kind::kSocket;
          action.path = "/run/" + earlier[before].units[0] + ".sock";
          break;
        }
      break;
    }
    case Kind::kPause:
      break;
  }
  return action;
}

}  // namespace

Generated generate_steps(Random random) {
  Generated generated;
  const size_t count = 3 + random.below(20);
  std::vector<size_t> candidates;
  for (size_t i = 0; i < count; ++i) {
    Step step;
    step.name = fmt::format("s{}", i);
    if (i > 2 && random.chance(20)) step.phase = Phase::kDeferred;
    if (random.chance(15)) step.fatal = false;
    if (random.chance(40)) step.lasts = engine::Lasts::kOnDisk;
    step.exit_code = static_cast<int>(100 + i);
    step.deadline = random.chance(10) ? 5s : 60s;
    step.retry.attempts = static_cast<int>(1 + random.below(4));
    step.retry.pause = 100ms;
    if (random.chance(20)) step.retry.each = 3s;

    std::vector<size_t> needed;
    for (size_t tries = random.below(4); i > 0 && tries > 0; --tries) {
      const size_t before = random.below(i);
      const Step& other = generated.steps[before];
      if (step.phase != Phase::kDeferred && other.phase == Phase::kDeferred) continue;
      const bool must_not_need = step.fatal && step.phase != Phase::kDeferred && !other.fatal;
      if (must_not_need || random.chance(20)) {
        step.after.push_back(other.name);
      } else {
        step.needs.push_back(other.name);
        needed.push_back(before);
      }
    }
    std::vector<Action> actions;
    bool only_files = true;
    for (size_t number = 0, many = random.below(5); number < many; ++number) {
      Action action = draw(random, i, number, &step, generated.steps, needed);
      if (action.kind == Kind::kFetch) step.inputs += "fetch ";
      if (action.kind == Kind::kStart || action.kind == Kind::kQueue) step.inputs += number == 0 ? "start " : "";
      if (action.kind == Kind::kStart || action.kind == Kind::kQueue || action.kind == Kind::kSysctl ||
          action.kind == Kind::kModule)
        only_files = false;
      actions.push_back(std::move(action));
    }
    if (!only_files) step.lasts = engine::Lasts::kThisBoot;
    if (!step.units.empty() && step.inputs.find("start") != std::string::npos && actions[0].path != step.units[0])
      step.inputs.clear();  // the first unit is only enabled: no step may wait for its socket
    step.run = [actions](Context& c) { return act_all(c, actions); };
    // A step whose predecessor shares a file with a third one must stay ordered. Drawing from direct needs ensures this
    // for those two, and this for the rest.
    if (step.phase != Phase::kDeferred && step.fatal) candidates.push_back(i);
    generated.steps.push_back(std::move(step));
  }
  if (!candidates.empty() && random.chance(90)) {
    const size_t goal = candidates[random.below(candidates.size())];
    generated.steps[goal].provides.emplace_back("goal");
    generated.milestone = "goal";
  }
  return generated;
}

void furnish(host::sim::World& world, const Generated& generated) {
  for (const Step& step : generated.steps)
    for (const std::string& name : step.units) {
      host::sim::Unit unit;
      unit.makes = {"/run/" + name + ".sock"};
      world.units[name] = unit;
    }
  host::sim::Program unpack;
  unpack.effect = [](const std::vector<std::string>& argv, host::Files& files) {
    return files.write(argv[1], "unpacked " + argv[2], 0644);
  };
  world.programs[kUnpack] = unpack;
  world.endpoints[kMetadata].body = "{\"compute\": {\"vmSize\": \"sim\"}}";
}

}  // namespace sunup::simulation
