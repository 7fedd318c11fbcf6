// check-image on simulated images: what it must not report as present, and what it must not report as absent.
#include "plan/image_content.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "host/sim/machine.h"
#include "plan/gather.h"
#include "plan/image_database.h"
#include "plan/test_image_database.h"

namespace sunup::plan {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

class ImageContents : public testing::Test {
 protected:
  ImageContents() : world(1) {
    put("/etc/os-release", "ID=ubuntu\nVERSION_ID=\"24.04\"\n");
    put("/opt/azure/vhd-install.complete");
    put_containerd('\x3e');
    put("/usr/bin/runc");
    put("/usr/lib/systemd/system/containerd.service");
    put("/var/lib/dpkg/status", "\nPackage: containerd\nVersion: 2.0.6-1\n\n");
    for (const char* plugin : {"bridge", "host-local", "loopback"}) put(std::string("/opt/cni/bin/") + plugin);
    put(kContainerdDatabase, image_database({"mcr.microsoft.com/oss/kubernetes/pause:3.9"}));
    put("/opt/bin/kubelet-1.34.1");
    put("/opt/azure-acr-credential-provider/downloads/azure-acr-credential-provider_1.34.0-1_amd64.deb");
  }

  void put_containerd(char machine) {
    put("/usr/bin/containerd",
        std::string("\177ELF\2\1\1", 7) + std::string(11, '\0') + machine + std::string(1, '\0'));
  }
  void put(const std::string& path, std::string content = "x") {
    for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
      world.disk.try_emplace(path.substr(0, slash), host::sim::Node{host::FileKind::kDirectory, 0755, ""});
    world.disk[path] = host::sim::Node{host::FileKind::kRegular, 0755, std::move(content)};
  }

  Result<ImageContent> look(ImageQuestion question = {.versions = {}, .modes = {}, .files_only = true}) {
    host::sim::Machine machine(world);
    std::optional<Result<ImageContent>> result;
    machine.loop().run(look_into_image(machine.host(), std::move(question)), &result);
    return result ? *std::move(result) : Result<ImageContent>(Error("it never ended"));
  }

  static auto part(std::string_view name, Has has) {
    return AllOf(Field(&ImagePart::name, HasSubstr(std::string(name))), Field(&ImagePart::has, has));
  }

  host::sim::World world;
};

TEST_F(ImageContents, CompleteImageIsComplete) {
  const auto content = look();
  ASSERT_TRUE(content) << content.error().what;
  EXPECT_EQ(content->verdict(), Has::kYes) << image_content_text(*content);
  EXPECT_EQ(content->distribution, "ubuntu2404");
  EXPECT_EQ(content->arch, "amd64");
  ASSERT_EQ(content->versions.size(), 1u);
  EXPECT_EQ(content->versions[0].version, "1.34.1");
  EXPECT_THAT(content->parts, Contains(Field(&ImagePart::detail, "mcr.microsoft.com/oss/kubernetes/pause:3.9")));
}

// Whatever architecture this program has.
TEST_F(ImageContents, TreeHasTheArchitectureOfItsPrograms) {
  const std::string own = [&] {
    host::sim::Machine machine(world);
    return gather_facts(machine.host().files, {})->arch;
  }();
  for (const auto& [code, arch] : {std::pair('\x3e', "amd64"), std::pair('\xb7', "arm64")}) {
    put_containerd(code);
    EXPECT_EQ(look()->arch, arch);
    host::sim::Machine machine(world);
    EXPECT_EQ(gather_facts(machine.host().files, {}, true)->arch, arch);
    EXPECT_EQ(gather_facts(machine.host().files, {}, false)->arch, own);
  }
  put("/usr/bin/containerd", "#!/bin/sh\n");
  EXPECT_EQ(look()->arch, own) << "no program of the tree has a header";
  put("/bin/sh", "");
  EXPECT_EQ(look()->arch, own);
}

// "1.34.1" is a prefix of the version in the name "kubelet-1.34.10".
TEST_F(ImageContents, AnotherPatchReleaseIsNotTheVersionAskedFor) {
  world.disk.erase("/opt/bin/kubelet-1.34.1");
  put("/opt/bin/kubelet-1.34.10");
  const auto content = look({.versions = {"1.34.1", "1.34.10"}, .modes = {}, .files_only = true});
  ASSERT_TRUE(content) << content.error().what;
  EXPECT_THAT(content->versions[0].parts, Contains(part("kubelet", Has::kNo)));
  EXPECT_THAT(content->versions[1].parts, Contains(part("kubelet", Has::kYes)));
  EXPECT_EQ(content->verdict(), Has::kNo);
}

TEST_F(ImageContents, EveryPartCounts) {
  ASSERT_EQ(look()->verdict(), Has::kYes);
  for (const char* path :
       {"/opt/azure/vhd-install.complete", "/usr/bin/containerd", "/usr/bin/runc", "/opt/cni/bin/loopback",
        "/usr/lib/systemd/system/containerd.service", kContainerdDatabase, "/opt/bin/kubelet-1.34.1",
        "/opt/azure-acr-credential-provider/downloads/azure-acr-credential-provider_1.34.0-1_amd64.deb"}) {
    const host::sim::Node node = world.disk.at(path);
    world.disk.erase(path);
    const auto content = look();
    ASSERT_TRUE(content) << path << ": " << content.error().what;
    EXPECT_EQ(content->verdict(), Has::kNo) << path << "\n" << image_content_text(*content);
    world.disk[path] = node;
  }
}

// Which pause image a node needs is in its config only.
TEST_F(ImageContents, PauseImageIsTheOneOfTheConfig) {
  const auto node = [](const char* version, const char* image) {
    aksnodeconfig::v1::Configuration config;
    config.set_kubernetes_version(version);
    config.mutable_kube_binary_config()->set_pod_infra_container_image_url(image);
    return config;
  };
  const auto verdict_for = [&](std::vector<aksnodeconfig::v1::Configuration> configs) {
    const auto content = look({.versions = {}, .configs = std::move(configs), .modes = {}, .files_only = true});
    EXPECT_TRUE(content) << content.error().what;
    return content->verdict();
  };
  constexpr char kOurs[] = "mcr.microsoft.com/oss/kubernetes/pause:3.9";
  EXPECT_EQ(verdict_for({node("1.34.1", kOurs)}), Has::kYes);
  EXPECT_EQ(verdict_for({node("1.34.1", "")}), Has::kYes);
  EXPECT_EQ(verdict_for({node("1.34.1", "mcr.azk8s.cn/oss/kubernetes/pause:3.9")}), Has::kYes) << "after images.retag";
  for (const char* other :
       {"mcr.microsoft.com/oss/kubernetes/pause:3.90", "mcr.microsoft.com/oss/kubernetes/pause:3",
        "mcr.microsoft.com/oss/v2/kubernetes/pause:3.9", "mcr.azure.cn/oss/v2/kubernetes/pause:3.9"})
    EXPECT_EQ(verdict_for({node("1.34.1", other)}), Has::kNo) << other;
  EXPECT_EQ(verdict_for({node("1.34.1", kOurs), node("1.34.1", "other.example/pause:1")}), Has::kNo);

  put("/opt/bin/kubelet-1.35.0");
  const auto content = look(
      {.versions = {"1.34.1"}, .configs = {node("1.35.0", "other.example/pause:1")}, .modes = {}, .files_only = true});
  ASSERT_EQ(content->versions.size(), 2u);
  EXPECT_THAT(content->parts, Not(Contains(Field(&ImagePart::name, "pause image"))));
  EXPECT_THAT(content->versions[0].parts, Contains(part("pause image", Has::kYes)));
  EXPECT_THAT(content->versions[1].parts,
              Contains(AllOf(part("pause image", Has::kNo),
                             Field(&ImagePart::detail, AllOf(HasSubstr("other.example/pause:1"), HasSubstr(kOurs))))));
}

TEST_F(ImageContents, ProgramWithoutVersionFileIsUnknownInATreeAndAskedOnAMachine) {
  world.disk.erase("/opt/bin/kubelet-1.34.1");
  put("/opt/bin/kubelet");
  auto content = look({.versions = {"1.34.1"}, .modes = {}, .files_only = true});
  ASSERT_TRUE(content) << content.error().what;
  EXPECT_EQ(content->verdict(), Has::kUnknown) << image_content_text(*content);
  world.programs["/opt/bin/kubelet"].output = "Kubernetes v1.34.1\n";
  put("/sys/fs/cgroup/cgroup.controllers");
  content = look({.versions = {"1.34.1"}, .modes = {}, .files_only = false});
  ASSERT_TRUE(content) << content.error().what;
  EXPECT_EQ(content->verdict(), Has::kYes) << image_content_text(*content);
}

TEST_F(ImageContents, CgroupVersion1IsRefusedFrom135On) {
  put("/etc/default/grub.d/50-cgroups.cfg", "GRUB_CMDLINE_LINUX=\"systemd.unified_cgroup_hierarchy=0\"\n");
  const auto content = look({.versions = {"1.34.1", "1.35.0"}, .modes = {}, .files_only = true});
  ASSERT_TRUE(content) << content.error().what;
  EXPECT_THAT(content->versions[0].parts, Contains(part("cgroups", Has::kYes)));
  EXPECT_THAT(content->versions[1].parts, Contains(part("cgroups", Has::kNo)));
}

TEST_F(ImageContents, OnlyModesThatAreNeededCount) {
  EXPECT_EQ(look()->verdict(), Has::kYes);
  auto content = look({.versions = {}, .modes = {"azure-cni"}, .files_only = true});
  EXPECT_EQ(content->verdict(), Has::kNo);
  put("/opt/cni/downloads/azure-vnet-cni-linux-amd64-v1.6.0.tgz");
  content = look({.versions = {}, .modes = {"azure-cni"}, .files_only = true});
  EXPECT_EQ(content->verdict(), Has::kYes) << image_content_text(*content);
  for (const char* unit : {"acr-mirror.service", "overlaybd-tcmu.service"})
    put(std::string("/usr/lib/systemd/system/") + unit);
  content = look({.versions = {}, .modes = {"artifact-streaming"}, .files_only = true});
  EXPECT_THAT(content->modes, Contains(Field(&ImagePart::detail, "no overlaybd-snapshotter.service")));
  EXPECT_EQ(look({.versions = {}, .modes = {"nonsense"}, .files_only = true}).error().os_errno, EINVAL);
}

TEST_F(ImageContents, LackOfAModeIsNamedAndNotAConfigThatNobodyGave) {
  const auto lack = [this](std::string_view name) {
    const auto content = look();
    for (const ImagePart& mode : content->modes)
      if (mode.name == name) return mode.has == Has::kYes ? std::string() : mode.detail;
    return std::string("no such mode");
  };
  for (const char* mode : {"azure-cni", "local-dns", "gpu-cuda"}) EXPECT_THAT(lack(mode), Not(HasSubstr("config")));
  EXPECT_THAT(lack("azure-cni"), HasSubstr("no"));
  put("/opt/cni/bin/azure-vnet");  // without its list, kubelet finds no network
  EXPECT_THAT(lack("azure-cni"), HasSubstr("10-azure.conflist"));
  put("/opt/cni/bin/10-azure.conflist");
  EXPECT_EQ(lack("azure-cni"), "");

  EXPECT_EQ(lack("local-dns"), "no localdns.service, /opt/azure/containers/localdns/localdns.sh");
  put("/etc/systemd/system/localdns.service");
  EXPECT_EQ(lack("local-dns"), "no /opt/azure/containers/localdns/localdns.sh");
  put("/opt/azure/containers/localdns/localdns.sh");
  EXPECT_EQ(lack("local-dns"), "");

  EXPECT_EQ(lack("gpu-cuda"),
            "/opt/azure/components.json of the image names no version of mcr.microsoft.com/aks/aks-gpu-cuda-lts");
}

TEST_F(ImageContents, VersionIsNoPartOfAName) {
  const auto json = nlohmann::json::parse(image_content_json(*look()));
  EXPECT_EQ(json["parts"][1]["name"], "containerd");
  EXPECT_EQ(json["parts"][1]["version"], "2.0.6");
  EXPECT_FALSE(json["parts"][0].contains("version"));
  EXPECT_THAT(image_content_text(*look()), HasSubstr("present  containerd 2.0.6 "));
}

TEST_F(ImageContents, OtherDistributionIsNamed) {
  put("/etc/os-release", "ID=debian\nVERSION_ID=\"13\"\n");
  const auto content = look();
  EXPECT_THAT(image_content_text(*content), testing::StartsWith("debian 13, amd64 (not a distribution of AKS"));
  const auto json = nlohmann::json::parse(image_content_json(*content));
  EXPECT_EQ(json["distribution"], "unknown");
  EXPECT_EQ(json["osId"], "debian");
  put("/etc/os-release", "ID=ubuntu\nVERSION_ID=\"24.04\"\n");
  EXPECT_THAT(image_content_text(*look()), testing::StartsWith("ubuntu2404 24.04, amd64\n"));
}

TEST_F(ImageContents, FileThatCannotBeReadIsNotAbsent) {
  world.faults.unreadable[kContainerdDatabase] = EIO;
  EXPECT_FALSE(look());
}

TEST_F(ImageContents, JsonSaysTheSame) {
  const auto content = look({.versions = {"1.34.1", "1.36.0"}, .modes = {}, .files_only = true});
  const auto json = nlohmann::json::parse(image_content_json(*content));
  EXPECT_EQ(json["verdict"], "lacking");
  EXPECT_EQ(json["versions"][0]["parts"][0]["state"], "present");
  EXPECT_EQ(json["versions"][1]["parts"][0]["state"], "absent");
  EXPECT_THAT(image_content_text(*content), HasSubstr("lacking: 1 absent"));
}

}  // namespace
}  // namespace sunup::plan
