// Test fixture: steps that install programs, with the engine's retries, on the simulated machine.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <map>
#include <set>

#include "archive/test_archives.h"
#include "engine/run.h"
#include "fetch/test_server.h"
#include "host/sim/machine.h"
#include "plan/gather.h"
#include "plan/install.h"
#include "plan/subjects.h"

namespace sunup::plan {

using namespace archive::test_archives;
using host::HttpReply;
using host::HttpRequest;
using host::sim::EndOfRun;
using host::sim::Machine;
using host::sim::World;

inline const std::string kProgram =
    "\x7f"
    "ELF kubelet";
inline constexpr char kTo[] = "/opt/bin/kubelet";

struct Installs : testing::Test, engine::Observer {
  World world{5};
  std::shared_ptr<Subject> subject = std::make_shared<Subject>();
  std::vector<std::string> notes;
  std::vector<std::string> left_out;
  std::vector<std::string> spawned;

  Installs() {
    subject->config.set_kubernetes_version("1.34.1");
    subject->facts.distro = render::Distro::kUbuntu2204;
    subject->facts.os_version = "22.04";
    world.on_operation = [this](host::TimePoint, std::string_view what, const std::string& on) {
      if (what == "spawn") spawned.push_back(on);
    };
  }

  void put(const std::string& path, std::string content, mode_t mode = 0644) {
    Machine machine(world);
    ASSERT_TRUE(machine.host().files.write(path, content, mode));
    subject->facts.paths.insert(path);
  }

  // Runs the step kubelet.binary (or another) with the engine's retries.
  engine::Report provision(std::string_view name = "kubelet.binary") { return run_alone(binary_steps(), name); }
  engine::Report clean_up() { return run_alone(leftover_steps(), "image.leftovers"); }
  // Gathers the facts of the disk in its current state.
  void gather() {
    Machine machine(world);
    subject->facts.in_place = gather_facts(machine.host().files, subject->config)->in_place;
    subject->facts.paths.clear();
    for (const auto& [path, node] : world.disk) subject->facts.paths.insert(path);
  }

  engine::Report run_alone(const Declarations& chapter, std::string_view name) {
    world.disk.erase("/var/lib/sunup/journal");  // so that every run starts from the beginning
    left_out.clear();
    Machine machine(world);
    for (const Declaration& declaration : chapter) {
      if (declaration.name != name) continue;
      Declaration alone = declaration;
      alone.needs = {};
      alone.after = {};
      alone.more_needs = nullptr;
      auto step = make_step(alone, subject);
      EXPECT_TRUE(step);
      step->phase = engine::Phase::kNormal;
      step->fatal = true;
      auto graph = engine::Graph::make({*step}, step->name);
      EXPECT_TRUE(graph);
      std::optional<engine::Report> report;
      engine::Options options;
      options.observers = {this};
      EXPECT_EQ(machine.loop().run(engine::run(machine.host(), *graph, std::move(options)), &report), EndOfRun::kDone);
      return *report;
    }
    ADD_FAILURE() << "no such step";
    return {};
  }
  void on(const engine::Event& event) override {
    if (event.kind == engine::EventKind::kStepNote) notes.emplace_back(event.text);
    if (event.kind == engine::EventKind::kStepLeftOut) left_out.emplace_back(event.text);
  }

  std::string content(const std::string& path) const {
    const auto found = world.disk.find(path);
    return found == world.disk.end() ? "" : found->second.content;
  }
  void expect_installed(const engine::Report& report, const std::string& program = kProgram) {
    EXPECT_TRUE(report.ok) << report.error.what;
    EXPECT_EQ(content(kTo), program);
    EXPECT_EQ(world.disk[kTo].mode, 0755U);
  }
  void expect_failed(const engine::Report& report, int code) {
    EXPECT_FALSE(report.ok);
    EXPECT_EQ(report.error.code, code) << report.error.what;
    EXPECT_FALSE(world.disk.contains(kTo));
    EXPECT_FALSE(report.error.hint.empty());
  }
};

// --- packages in the image

}  // namespace sunup::plan
