#include "plan/disks.h"

#include <gmock/gmock.h>

#include "plan/test_step.h"

namespace sunup::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kResource[] = "/dev/disk/cloud/azure_resource";
constexpr char kPartition[] = "/dev/disk/cloud/azure_resource-part1";

class Disks : public Steps {
 protected:
  Disks() { facts.paths.insert("/etc/cloud/cloud-init.disabled"); }

  void root_is_on(const std::string& link, const std::string& type) {
    put("/sys/dev/block/0:0", link, FileKind::kSymlink);
    put("/sys/dev/block/0:0/partition", "1\n");
    world.mounts.push_back({"/dev/root", "/", type, "rw"});
  }
  void program(const std::string& name, const std::string& output = "") { world.programs[name] = {.output = output}; }
  std::vector<std::string> ran() const {
    std::vector<std::string> lines;
    for (const host::Command& command : spawned) {
      std::string line;
      for (const std::string& word : command.argv) line += (line.empty() ? "" : " ") + word;
      lines.push_back(line);
    }
    return lines;
  }
  std::string fstab() const {
    const auto found = world.disk.find("/etc/fstab");
    return found == world.disk.end() ? "" : found->second.content;
  }
  bool mounted() const {
    return std::any_of(world.mounts.begin(), world.mounts.end(), [](const auto& m) { return m.target == "/mnt"; });
  }
};

TEST_F(Disks, TheRootGrowsPartitionFirst) {
  root_is_on("../../devices/pci0/block/sda/sda1", "ext4");
  program("growpart", "CHANGED: partition=1");
  program("resize2fs");
  ASSERT_TRUE(run("disk.grow_root"));
  EXPECT_THAT(ran(), ElementsAre("growpart /dev/sda 1", "resize2fs /dev/sda1"));
}

TEST_F(Disks, AFileSystemGrowsAlsoIfItsPartitionIsFullSizeAlready) {
  root_is_on("../../devices/pci0/block/nvme0n1/nvme0n1p1", "xfs");
  world.programs["growpart"] = {.failures = 1, .output = "NOCHANGE: partition 1 is size 1. it cannot be grown\n"};
  program("xfs_growfs");
  ASSERT_TRUE(run("disk.grow_root"));
  EXPECT_THAT(ran(), ElementsAre("growpart /dev/nvme0n1 1", "xfs_growfs /"));
}

TEST_F(Disks, AFailureToGrowIsToldAndTheFileSystemIsLeftAlone) {
  root_is_on("../../devices/pci0/block/sda/sda1", "ext4");
  world.programs["growpart"] = {.failures = 1, .output = "FAILED: no room\n"};
  EXPECT_FALSE(run("disk.grow_root"));
  EXPECT_THAT(ran(), ElementsAre("growpart /dev/sda 1"));
  world.programs.clear();
  const auto missing = run("disk.grow_root");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().hint, HasSubstr("growpart"));
}

TEST_F(Disks, ARootThatIsNoPartitionStaysAsItIs) {
  world.mounts.push_back({"overlay", "/", "overlay", "rw"});
  ASSERT_TRUE(run("disk.grow_root"));
  EXPECT_THAT(ran(), IsEmpty());
  EXPECT_THAT(notes, ElementsAre(HasSubstr("not on a partition")));
}

TEST_F(Disks, WithoutAResourceDiskThereIsNothingToDo) {
  ASSERT_TRUE(run("disk.resource_later"));
  EXPECT_THAT(ran(), IsEmpty());
  EXPECT_EQ(fstab(), "");
}

TEST_F(Disks, AnEmptyPartitionGetsAFileSystemAndIsMounted) {
  put(kResource, "");
  put(kPartition, "");
  put("/etc/fstab", "LABEL=root / ext4 defaults 0 1");
  program("blkid");
  program("mkfs.ext4");
  ASSERT_TRUE(run("disk.resource_later"));
  EXPECT_THAT(ran(), ElementsAre(HasSubstr("blkid"), std::string("mkfs.ext4 -q -F ") + kPartition));
  EXPECT_TRUE(mounted());
  EXPECT_THAT(fstab(), HasSubstr(std::string("defaults 0 1\n") + kPartition + " /mnt ext4 defaults,nofail"));
  ASSERT_TRUE(run("disk.resource_later"));
  EXPECT_EQ(ran().size(), 2U) << "what is mounted is left alone";
}

TEST_F(Disks, ADiskWithoutAPartitionGetsOne) {
  put(kResource, "");
  program("blkid");
  program("mkfs.ext4");
  world.programs["sfdisk"].effect = [](const auto&, host::Files& files) { return files.write(kPartition, ""); };
  ASSERT_TRUE(run("disk.resource_later"));
  ASSERT_EQ(spawned.size(), 4U);
  EXPECT_EQ(spawned[1].input, "label: gpt\n,,L\n");
  EXPECT_TRUE(mounted());
}

TEST_F(Disks, APartitionWhoseLinkAppearsAfterThatOfItsDiskIsWaitedFor) {
  put(kResource, "");
  program("blkid", "dos\n");
  world.programs["blkid"].effect = [this](const auto&, host::Files& files) {
    world.programs["blkid"].output = "ext4\n";
    return files.write(kPartition, "");
  };
  const auto done = run("disk.resource_later");
  ASSERT_TRUE(done) << done.error().what;
  EXPECT_TRUE(mounted());
  EXPECT_EQ(ran().size(), 2U) << "nothing is formatted";
}

TEST_F(Disks, ATableWithoutAPartitionIsLeftAlone) {
  put(kResource, "");
  program("blkid", "gpt\n");
  const auto done = run("disk.resource_later");
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().what, HasSubstr("no first partition, but gpt on it"));
}

TEST_F(Disks, DataIsNeverFormattedAway) {
  put(kResource, "");
  put(kPartition, "");
  program("mkfs.ext4");
  for (const char* content : {"xfs\n", "LVM2_member\n", "crypto_LUKS\n"}) {
    program("blkid", content);
    ASSERT_TRUE(run("disk.resource_later")) << content;
    EXPECT_FALSE(mounted()) << content;
  }
  put("/run/aks-node-controller/resource-disk/accounts.xlsx", "figures");
  program("blkid", "ntfs\n");
  ASSERT_TRUE(run("disk.resource_later"));
  for (const std::string& line : ran()) EXPECT_THAT(line, testing::Not(HasSubstr("mkfs")));
  EXPECT_FALSE(mounted());
  EXPECT_THAT(notes.back(), HasSubstr("has files on it"));
}

TEST_F(Disks, ANewDiskOfAzureIsFormatted) {
  put(kResource, "");
  put(kPartition, "");
  put("/run/aks-node-controller/resource-disk/DATALOSS_WARNING_README.txt", "beware");
  program("blkid", "ntfs\n");
  program("mkfs.ext4");
  ASSERT_TRUE(run("disk.resource_later"));
  EXPECT_TRUE(mounted());
  EXPECT_THAT(ran().back(), HasSubstr("mkfs.ext4"));
}

TEST_F(Disks, NtfsThatCannotBeReadIsNotTakenForNew) {
  put(kResource, "");
  put(kPartition, "");
  program("blkid", "ntfs\n");
  program("mkfs.ext4");
  for (const int error : {EBUSY, EIO, EINVAL, EPERM, ENOMEM}) {
    world.faults.unmountable = {{"ntfs3", error}, {"ntfs", ENODEV}};
    const auto done = run("disk.resource_later");
    ASSERT_FALSE(done) << error;
    EXPECT_THAT(done.error().what, HasSubstr("left alone"));
    world.faults.unmountable = {{"ntfs3", ENODEV}, {"ntfs", error}};
    EXPECT_FALSE(run("disk.resource_later")) << error;
  }
  for (const std::string& line : ran()) EXPECT_THAT(line, testing::Not(HasSubstr("mkfs")));
  world.faults.unmountable = {{"ntfs3", ENODEV}, {"ntfs", ENODEV}};
  ASSERT_TRUE(run("disk.resource_later"));
  EXPECT_THAT(ran().back(), HasSubstr("mkfs.ext4")) << "a kernel without NTFS has written nothing";
  EXPECT_TRUE(mounted());
}

TEST_F(Disks, OurFileSystemFromAnEarlierBootIsMountedAsItIs) {
  put(kResource, "");
  put(kPartition, "");
  program("blkid", "ext4\n");
  ASSERT_TRUE(run("disk.resource_later"));
  EXPECT_THAT(ran(), ElementsAre(HasSubstr("blkid")));
  EXPECT_TRUE(mounted());
}

TEST_F(Disks, ADiskWithSomethingElseInThePlaceOfPartitionsIsLeftAlone) {
  put(kResource, "");
  program("blkid", "gpt\n");
  const auto done = run("disk.resource_later");
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().what, HasSubstr("left alone"));
}

TEST_F(Disks, TheDiscIsEjected) {
  ASSERT_TRUE(run("disc.eject")) << "there is no drive";
  EXPECT_THAT(ran(), IsEmpty());
  put("/dev/sr0", "");
  program("eject");
  ASSERT_TRUE(run("disc.eject"));
  EXPECT_THAT(ran(), ElementsAre("eject /dev/sr0"));
}

// The disk steps in a plan, and whether kubelet waits for them.
std::map<std::string, bool> planned(const Subject& about) {
  std::map<std::string, bool> found;
  const auto graph = derive(std::make_shared<Subject>(about));
  if (!graph) return found;
  for (const engine::Step& step : graph->steps())
    if (step.name.starts_with("disk.") || step.name.starts_with("disc."))
      found[step.name] = step.phase != engine::Phase::kDeferred;
  return found;
}

TEST_F(Disks, TheyArePartOfThePlanOnlyWhereCloudInitIsSwitchedOff) {
  const std::map<std::string, bool> later = {
      {"disc.eject", false}, {"disk.grow_root", false}, {"disk.resource_later", false}};
  EXPECT_EQ(planned(subject()), later);
  files_only = true;
  EXPECT_THAT(planned(subject()), IsEmpty());
  files_only = false;
  facts.paths.erase("/etc/cloud/cloud-init.disabled");
  EXPECT_THAT(planned(subject()), IsEmpty());
}

TEST_F(Disks, KubeletWaitsForTheResourceDiskIfItsFilesAreThere) {
  config.mutable_kubelet_config()->set_kubelet_disk_type(aksnodeconfig::v1::KUBELET_DISK_TEMP_DISK);
  const std::map<std::string, bool> wanted = {
      {"disc.eject", false}, {"disk.grow_root", false}, {"disk.resource", true}};
  EXPECT_EQ(planned(subject()), wanted);
  const auto graph = derive(std::make_shared<Subject>(subject()));
  for (const engine::Step& step : graph->steps()) {
    if (step.name != "kubelet.disk") continue;
    EXPECT_THAT(step.after, testing::Contains("disk.resource"));
  }
}

}  // namespace
}  // namespace sunup::plan
