// Test fixture: runs one step at a time on the simulated machine.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "host/sim/machine.h"
#include "plan/catalogue.h"

namespace sunup::plan {

using host::FileKind;

class Steps : public testing::Test {
 protected:
  Steps() : world(1) {
    world.on_spawn = [this](const host::Command& command) { spawned.push_back(command); };
    config.mutable_api_server_config()->set_api_server_name("api.example");
    config.mutable_bootstrapping_config()->set_tls_bootstrapping_token("abcdef.0123456789abcdef");
  }

  void put(const std::string& path, std::string content, FileKind kind = FileKind::kRegular) {
    for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
      world.disk.try_emplace(path.substr(0, slash), host::sim::Node{FileKind::kDirectory, 0755, ""});
    world.disk[path] = host::sim::Node{kind, 0644, std::move(content)};
  }

  Subject subject() const {
    Subject about;
    about.config = config;
    about.facts = facts;
    about.files_only = files_only;
    return about;
  }

  Result<void> run(std::string_view name) {
    host::sim::Machine machine(world);
    return run(name, machine);
  }
  Result<void> run(std::string_view name, host::sim::Machine& machine) {
    const auto step = make_step(*find_step(name), std::make_shared<Subject>(subject()));
    if (!step) return step.error();
    Context context(
        machine.host(), *step, learned, [this](const std::string& text) { notes.push_back(text); },
        [this](const std::string& text) { left_out.push_back(text); });
    std::optional<Result<void>> result;
    machine.loop().run(step->run(context), &result);
    return result ? *std::move(result) : Result<void>(Error("it never ended"));
  }

  std::string journal() const {
    std::string text;
    for (const auto& [socket, message] : world.datagrams)
      if (socket == "/run/systemd/journal/socket") text += message;
    return text;
  }

  host::sim::World world;
  aksnodeconfig::v1::Configuration config;
  NodeFacts facts = node::golden_image(render::Distro::kUbuntu2204);
  bool files_only = false;
  std::map<std::string, std::string> learned;
  std::vector<host::Command> spawned;
  std::vector<std::string> notes;
  std::vector<std::string> left_out;
};

}  // namespace sunup::plan
