// No code that runs on a node builds protobuf's descriptors of the contract: that takes longer than everything else
// there (docs/decisions/0006-a-table-of-the-contract.md). Descriptors that were built stay in the process, so
// everything is one test.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "contract/load.h"
#include "contract/secrets.h"
#include "contract/write.h"
#include "controller/provision.h"
#include "controller/test_machine.h"
#include "native.h"
#include "render/cse_env.h"

namespace sunup::simulation {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> built() {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(SUNUP_PROTO_DIR)) {
    const std::string name = fs::relative(entry.path(), SUNUP_PROTO_DIR).string();
    if (name.ends_with(".proto") && google::protobuf::DescriptorPool::generated_pool()->InternalIsFileLoaded(name))
      files.push_back(name);
  }
  return files;
}

// One process on a machine of the case.
controller::Outcome provision(const NativeCase& which, controller::Mode mode, bool dry_run) {
  controller::TestMachine machine;
  furnish(machine.world, which);
  machine.put(machine.kConfig, contract::to_json(which.config));
  if (mode == controller::Mode::kScripts) machine.put("/opt/azure/components.json", "{}");
  controller::ProvisionOptions options;
  options.config = machine.kConfig;
  options.mode = mode;
  options.dry_run = dry_run;
  std::optional<controller::Outcome> outcome;
  const auto end =
      machine.run([&](controller::Node& node) { return controller::provision(node, std::move(options)); }, &outcome);
  EXPECT_EQ(end, host::sim::EndOfRun::kDone) << which.name;
  return outcome.value_or(controller::Outcome{});
}

// A config with everything that the loader reports, and the result.
constexpr char kFromTomorrow[] = R"({"version": "v1", "kubelet_flagz": {}, "futureField": [1],
    "networkConfig": {"networkPlugin": "NETWORK_PLUGIN_AZUR", "networkPolicy": 77},
    "httpProxyConfig": {"httpProxy": "http://joe:secret@proxy.example"},
    "customLinuxOsConfig": {"ulimitConfig": {}}})";

TEST(Startup, NeedsNoDescriptorsOfTheContract) {
  ASSERT_THAT(built(), testing::IsEmpty());
  for (const NativeCase& which : native_cases()) {
    EXPECT_TRUE(provision(which, controller::Mode::kScripts, true).ok()) << which.name;
    ASSERT_THAT(built(), testing::IsEmpty()) << "dry run of " << which.name;
    EXPECT_TRUE(provision(which, controller::Mode::kNative, false).ok()) << which.name;
    ASSERT_THAT(built(), testing::IsEmpty()) << "native provisioning of " << which.name;
    EXPECT_FALSE(render::cse_environment(which.config, {}).empty());
    ASSERT_THAT(built(), testing::IsEmpty()) << "environment of " << which.name;
  }

  const auto loaded = contract::load_text(kFromTomorrow, "tomorrow.json");
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->findings.size(), 4u);
  EXPECT_FALSE(contract::secrets_of(loaded->config).empty());
  EXPECT_FALSE(contract::load_text("{\"version\": 1}", "wrong.json").ok());
  ASSERT_THAT(built(), testing::IsEmpty()) << "a config with findings";

  // This check would have detected it.
  EXPECT_FALSE(aksnodeconfig::v1::WorkloadRuntime_Name(aksnodeconfig::v1::WORKLOAD_RUNTIME_OCI_CONTAINER).empty());
  EXPECT_THAT(built(), testing::Contains("aksnodeconfig/v1/configuration.proto"));
}

}  // namespace
}  // namespace sunup::simulation
