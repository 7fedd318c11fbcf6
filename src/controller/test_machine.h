// For tests: a simulated machine on which verbs run. The machine persists; each run() is a new process on it.
#pragma once

#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "controller/node.h"
#include "host/sim/machine.h"

namespace sunup::controller {

class TestMachine {
 public:
  explicit TestMachine(uint64_t seed = 1) : world(seed) {}

  void put(const std::string& path, std::string content, mode_t mode = 0644) {
    for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
      world.disk[path.substr(0, slash)] = {host::FileKind::kDirectory, 0755, ""};
    world.disk[path] = {host::FileKind::kRegular, mode, std::move(content)};
    world.durable = world.disk;
  }

  // Copies a file of the source tree to the machine, and returns its path there.
  std::string put_config(const std::string& source) {
    std::ifstream file(source);
    put(kConfig, {std::istreambuf_iterator<char>(file), {}});
    return kConfig;
  }
  static constexpr char kConfig[] = "/root/config.json";

  // verb: Node& -> host::Task<T>. `result` stays empty if the process does not reach its end.
  template <class Verb, class T>
  host::sim::EndOfRun run(Verb verb, std::optional<T>* result, std::string version = "202608.21.2") {
    host::sim::Machine machine(world);
    host::Host& host = machine.host();
    report::Log log([&] { return host.loop.wall().time_since_epoch().count(); },
                    [this](std::string_view line) { said += line; });
    redaction::Redactor redactor;
    Node node{.loop = host.loop,
              .files = host.files,
              .callers_files = host.files,
              .processes = host.processes,
              .watch = host.watch,
              .host = host,
              .log = log,
              .redactor = redactor,
              .root = "",
              .version = std::move(version)};
    const host::TimePoint before = machine.loop().now();
    result->reset();
    const host::sim::EndOfRun end = machine.loop().run(verb(node), result);
    took = machine.loop().now() - before;
    return end;
  }

  host::sim::World world;
  host::Duration took{};  // of the last run
  std::string said;       // the log
};

}  // namespace sunup::controller
