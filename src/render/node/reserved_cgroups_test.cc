#include "render/node/reserved_cgroups.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

Configuration by_file(const char* kube, const char* system) {
  Configuration config;
  config.mutable_kubelet_config()->set_enable_kubelet_config_file(true);
  auto* file = config.mutable_kubelet_config()->mutable_kubelet_config_file_config();
  file->set_kube_reserved_cgroup(kube);
  file->set_system_reserved_cgroup(system);
  return config;
}

const NodeFacts kImage = golden_image(Distro::kUbuntu2404);

TEST(ReservedCgroups, NothingReservedMeansNoFiles) {
  EXPECT_TRUE(reserved_cgroup_files({}, kImage)->empty());
  EXPECT_EQ(runtime_slice({}), "/system.slice");
}

TEST(ReservedCgroups, HardeningPutsBothServicesIntoTheSlice) {
  for (const char* name : {"/kubereserved.slice", "kubereserved.slice"}) {
    const Configuration config = by_file(name, "/system.slice");
    const auto files = reserved_cgroup_files(config, kImage);
    ASSERT_TRUE(files);
    ASSERT_EQ(files->size(), 3U);
    EXPECT_EQ((*files)[0].path, "/etc/systemd/system/kubereserved.slice");
    EXPECT_EQ((*files)[1].path, "/etc/systemd/system/kubelet.service.d/10-kubereserved-slice.conf");
    EXPECT_EQ((*files)[2].path, "/etc/systemd/system/containerd.service.d/10-kubereserved-slice.conf");
    EXPECT_EQ((*files)[2].content,
              "[Unit]\nWants=kubereserved.slice\nAfter=kubereserved.slice\n\n[Service]\nSlice=kubereserved.slice\n");
    EXPECT_EQ(runtime_slice(config), "/kubereserved.slice");
  }
}

TEST(ReservedCgroups, ReservingOnlyForTheSystemNeedsNoFiles) {
  EXPECT_TRUE(reserved_cgroup_files(by_file("", "system.slice"), kImage)->empty());
}

TEST(ReservedCgroups, TheConfigFileWinsOverFlags) {
  Configuration config = by_file("kubereserved.slice", "");
  (*config.mutable_kubelet_config()->mutable_kubelet_flags())["--kube-reserved-cgroup"] = "other";
  EXPECT_EQ(reserved_cgroups(config).kube, "kubereserved.slice");
  config.mutable_kubelet_config()->set_enable_kubelet_config_file(false);
  EXPECT_EQ(reserved_cgroups(config).kube, "other");
}

TEST(ReservedCgroups, OtherNamesAreRefused) {
  EXPECT_EQ(reserved_cgroup_files(by_file("/my.slice", ""), kImage).error().code, 34);
  EXPECT_EQ(reserved_cgroup_files(by_file("", "//system.slice"), kImage).error().code, 34);
  EXPECT_EQ(reserved_cgroup_files(by_file("kubereserved.slice/x", ""), kImage).error().code, 34);
}

TEST(ReservedCgroups, CgroupsVersionOneIsRefused) {
  NodeFacts old = kImage;
  old.paths.erase("/sys/fs/cgroup/cgroup.controllers");
  EXPECT_EQ(reserved_cgroup_files(by_file("kubereserved.slice", ""), old).error().code, 34);
}

}  // namespace
}  // namespace sunup::render::node
