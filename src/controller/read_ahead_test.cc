#include "controller/read_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/test_machine.h"

namespace sunup::controller {
namespace {

using testing::ElementsAre;

class ReadAhead : public testing::Test {
 protected:
  host::sim::World world{1};
  host::sim::Machine machine{world};
  host::Files& files = machine.host().files;

  void has(const std::string& path) { ASSERT_TRUE(files.write(path, "program")); }
};

TEST_F(ReadAhead, TakesTheOnlyKubelet) {
  has("/opt/bin/kubelet-1.34.1");
  has("/opt/bin/kubelet.version");
  has("/opt/bin/kubectl-1.34.1");
  EXPECT_THAT(first_programs(files), ElementsAre("/proc/self/exe", "/usr/bin/containerd", "/opt/bin/kubelet-1.34.1"));
}

TEST_F(ReadAhead, TakesThePackageOfAnImageThatHasNoProgram) {
  has("/opt/kubelet/downloads/kubelet_1.34.1_amd64.deb");
  EXPECT_THAT(first_programs(files),
              ElementsAre("/proc/self/exe", "/usr/bin/containerd", "/opt/kubelet/downloads/kubelet_1.34.1_amd64.deb"));
}

TEST_F(ReadAhead, WaitsForTheConfigWhereThereAreSeveralKubelets) {
  has("/opt/bin/kubelet-1.33.2");
  has("/opt/bin/kubelet-1.34.1");
  EXPECT_THAT(first_programs(files), ElementsAre("/proc/self/exe", "/usr/bin/containerd"));
}

}  // namespace
}  // namespace sunup::controller
