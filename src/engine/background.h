// The host as deferred steps see it: every program that they start runs with the lowest priority.
#pragma once

#include <utility>

#include "host/host.h"

namespace sunup::engine {

class BackgroundProcesses : public host::Processes {
 public:
  explicit BackgroundProcesses(host::Processes& processes) : processes_(processes) {}
  Result<std::unique_ptr<host::Process>> start(host::Command command) override {
    command.background = true;
    return processes_.start(std::move(command));
  }
  host::Task<void> settled() override { return processes_.settled(); }

 private:
  host::Processes& processes_;
};

struct BackgroundHost {
  BackgroundProcesses processes;
  host::Host host;
  explicit BackgroundHost(host::Host& base)
      : processes(base.processes),
        host{.loop = base.loop,
             .files = base.files,
             .processes = processes,
             .units = base.units,
             .kernel = base.kernel,
             .network = base.network,
             .watch = base.watch,
             .work = base.work,
             .boot_id = base.boot_id} {}
  BackgroundHost(const BackgroundHost&) = delete;
};

}  // namespace sunup::engine
