// For tests: the whole controller provisions a node of a golden case natively on the simulated machine.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "controller/provision.h"
#include "controller/test_machine.h"
#include "native.h"

namespace sunup::simulation {

class OneNode : public controller::TestMachine {
 public:
  explicit OneNode(std::string_view name)
      : which_(*std::find_if(native_cases().begin(), native_cases().end(),
                             [name](const NativeCase& one) { return one.name == name; })) {
    furnish(world, which_);
    put_config(SUNUP_GOLDEN_CASES "/" + which_.name + "/config.json");
  }

  host::sim::EndOfRun provision() {
    controller::ProvisionOptions options;
    options.mode = controller::Mode::kNative;
    options.config = kConfig;
    return run([&](controller::Node& node) { return controller::provision(node, options); }, &outcome);
  }

  bool succeeded() const { return outcome && outcome->ok(); }

  std::optional<controller::Outcome> outcome;

 private:
  const NativeCase& which_;
};

}  // namespace sunup::simulation
