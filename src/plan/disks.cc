#include "plan/disks.h"

#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "base/exit_code.h"
#include "base/node_paths.h"
#include "base/text.h"
#include "host/edit.h"
#include "host/running.h"
#include "plan/subjects.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

constexpr char kSwitch[] = "/etc/cloud/cloud-init.disabled";
constexpr char kDisc[] = "/dev/sr0";
constexpr auto& kFstab = paths::kFstab;
constexpr char kMountPoint[] = "/mnt";
constexpr char kComment[] = "comment=aks-node-controller";  // in the line of /etc/fstab
constexpr auto kUdevLimit = 10s;
constexpr char kLook[] = "/run/aks-node-controller/resource-disk";
// Links that the udev rules of cloud-init and of the guest agent create.
constexpr const char* kResourceDisks[] = {"/dev/disk/cloud/azure_resource", "/dev/disk/azure/resource"};

struct Partition {
  std::string disk;    // "/dev/sda"
  std::string number;  // "1"
  std::string device;  // "/dev/sda1"
};

// Empty if the root file system is not on a partition, but for example on a volume, an overlay or a whole disk.
Result<std::optional<Partition>> root_partition(host::Files& files) {
  const auto root = files.info("/");
  if (!root) return root.error();
  const std::string device =
      "/sys/dev/block/" + std::to_string(major(root->device)) + ":" + std::to_string(minor(root->device));
  const auto number = files.read_if_there(device + "/partition", 64);
  if (!number) return number.error();
  const auto link = files.link_if_there(device);  // ../../devices/.../block/sda/sda1
  if (!link) return link.error();
  if (!*number || !*link) return std::optional<Partition>();
  const std::string& path = **link;
  const size_t name = path.rfind('/');
  const size_t disk = name == std::string::npos || name == 0 ? name : path.rfind('/', name - 1);
  if (name == std::string::npos || disk == std::string::npos) return std::optional<Partition>();
  return std::optional(Partition{"/dev/" + path.substr(disk + 1, name - disk - 1), std::string(trimmed(**number)),
                                 "/dev/" + path.substr(name + 1)});
}

// The current mount at the path; the last mount hides earlier ones.
Result<std::optional<host::Mount>> mounted_at(host::Kernel& kernel, std::string_view target) {
  const auto mounts = kernel.mounts();
  if (!mounts) return mounts.error();
  std::optional<host::Mount> found;
  for (const host::Mount& mount : *mounts)
    if (mount.target == target) found = mount;
  return found;
}

Task<Result<host::Exit>> run(host::Host& host, host::Command command, Duration limit = 60s) {
  const std::string program = command.argv.front();
  auto exit = co_await host.processes.run(std::move(command).with_limit(limit));
  if (!exit && exit.error().os_errno == ENOENT)
    co_return std::move(exit).error().with_hint("the image must contain " + program + ", which cloud-init uses, too");
  co_return exit;
}

Task<Result<void>> run_well(host::Host& host, host::Command command, Duration limit = 60s) {
  const std::string program = command.argv.front();
  auto exit = co_await run(host, std::move(command), limit);
  if (!exit) co_return std::move(exit).error();
  co_return exit->ok() ? Result<void>() : exit->as_error(program);
}

std::optional<host::Command> growing(const std::string& type, const std::string& device) {
  if (type == "ext2" || type == "ext3" || type == "ext4") return host::command("resize2fs", device);
  if (type == "xfs") return host::command("xfs_growfs", "/");
  if (type == "btrfs") return host::command("btrfs", "filesystem", "resize", "max", "/");
  return std::nullopt;
}

// The content of a partition or a disk: "ext4", "ntfs"; empty: none.
Task<Result<std::string>> content_of(host::Host& host, std::string device) {
  constexpr int kNothingFound = 2;
  auto exit = co_await run(host, host::command("blkid", "-p", "-o", "value", "-s", "TYPE", "-s", "PTTYPE", device));
  if (!exit) co_return std::move(exit).error();
  if (!exit->ok() && exit->code != kNothingFound) co_return exit->as_error("blkid");
  co_return std::string(trimmed(exit->out));
}

bool comes_with_a_new_disk(const std::string& name) {
  return equal_ignoring_case(name, "dataloss_warning_readme.txt") || name == "System Volume Information" ||
         name == "$RECYCLE.BIN";
}

// A new disk has an NTFS file system that contains a warning. A kernel without NTFS support cannot have written to it.
// After any other mount error the content is unknown.
Task<Result<bool>> is_new(host::Host& host, std::string partition) {
  if (auto made = host.files.make_directories(kLook, 0700); !made) co_return std::move(made).error();
  bool mounted = false;
  for (const char* type : {"ntfs3", "ntfs"}) {
    if (mounted) break;
    auto tried = host.kernel.mount({partition, kLook, type, "ro,nosuid,nodev,noexec"});
    mounted = tried.ok();
    if (!mounted && tried.error().os_errno != ENODEV)
      co_return std::move(tried).error().in("the resource disk has NTFS that cannot be read: it is left alone");
  }
  if (!mounted) co_return true;
  const auto names = host.files.list(kLook);
  auto unmounted = host.kernel.unmount(kLook);
  if (!names) co_return names.error();
  if (!unmounted) co_return std::move(unmounted).error();
  co_return std::ranges::all_of(*names, comes_with_a_new_disk);
}

Result<void> note_in_fstab(host::Files& files, const std::string& partition) {
  const auto edited = host::edit(files, kFstab, [&](const std::optional<host::FileText>& before) {
    using Change = Result<std::optional<host::FileText>>;
    std::string text = before ? before->text : "";
    if (text.find(partition) != std::string::npos) return Change(std::optional<host::FileText>());
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    text += partition + " " + kMountPoint + " ext4 defaults,nofail," + kComment + " 0 2\n";
    return Change(host::FileText{text, before ? before->mode : 0644});
  });
  return edited ? Result<void>() : edited.error();
}

// The first link of the resource disk; empty if there is none.
Result<std::string> link_of_resource_disk(host::Files& files) {
  for (const char* link : kResourceDisks) {
    const auto there = files.exists(link);
    if (!there) return there.error();
    if (*there) return std::string(link);
  }
  return std::string();
}

Task<Result<void>> resource_disk_appears(host::Host& host) {
  auto first = host.watch.path_appears(kResourceDisks[0]);
  auto either = co_await host::first_of(host.loop, std::move(first), host.watch.path_appears(kResourceDisks[1]));
  co_return either.index() == 0 ? std::get<0>(either) : std::get<1>(either);
}

Result<bool> had_resource_disk(host::Files& files) {
  const auto table = files.read_if_there(kFstab);
  if (!table) return table.error();
  return *table && (*table)->find(kComment) != std::string::npos;
}

// The link of the resource disk, for which this waits if such a disk is expected; empty if there is none.
Task<Result<std::string>> find_resource_disk(host::Host& host, bool expected) {
  auto found = link_of_resource_disk(host.files);
  if (!found || !found->empty()) co_return found;
  const auto before = had_resource_disk(host.files);
  if (!before) co_return before.error();
  if (!expected && !*before) co_return found;
  const auto there = co_await host::within(host.loop, kUdevLimit, resource_disk_appears(host), "a resource disk");
  if (!there && there.error().os_errno != ETIMEDOUT) co_return there.error();
  co_return link_of_resource_disk(host.files);
}

// A disk without a partition table gets one partition. An error if there is anything else on it.
Task<Result<void>> make_partition(host::Host& host, std::string disk) {
  auto content = co_await content_of(host, disk);
  if (!content) co_return std::move(content).error();
  if (*content == "dos" || *content == "gpt") {
    // udev creates the link of a partition after that of its disk.
    auto there = co_await host::within(host.loop, kUdevLimit, host.watch.path_appears(disk + "-part1"), "a partition");
    if (there || there.error().os_errno != ETIMEDOUT) co_return there;
  }
  if (!content->empty())
    co_return Error(disk + " has no first partition, but " + *content + " on it: it is left alone");
  auto layout = host::command("sfdisk", "--quiet", disk).with_input("label: gpt\n,,L\n");
  if (auto made = co_await run_well(host, std::move(layout)); !made) co_return made;
  auto appears = host.watch.path_appears(disk + "-part1");
  co_return co_await host::within(host.loop, 30s, std::move(appears), "the resource disk's partition");
}

// Makes the partition usable: an existing ext4 file system is kept, and an empty or new partition is formatted. Returns
// false for any other content, which is not changed.
Task<Result<bool>> has_file_system(host::Host& host, std::string partition, DiskNote note) {
  auto content = co_await content_of(host, partition);
  if (!content) co_return std::move(content).error();
  if (*content == "ntfs") {
    const auto fresh = co_await is_new(host, partition);
    if (!fresh) co_return fresh.error();
    if (!*fresh) {
      note("the resource disk has files on it: it is left alone");
      co_return false;
    }
    content = std::string();
  }
  if (!content->empty() && *content != "ext4") {
    note("the resource disk has " + *content + " on it: it is left alone");
    co_return false;
  }
  if (*content == "ext4") co_return true;
  Result<void> made = co_await run_well(host, host::command("mkfs.ext4", "-q", "-F", partition), 10min);
  if (!made) co_return std::move(made).error();
  co_return true;
}

// -- the steps

bool without_cloud_init(const Subject& s) {
  return s.facts.has(kSwitch) && !s.files_only;
}

std::vector<FileEffect> resource_files(const Subject&) {
  return {{.path = kFstab, .mode = 0644, .shared = true}};
}

DiskNote notes_of(Context& c) {
  return [&c](std::string text) { c.note(std::move(text)); };
}

Task<Result<void>> grow(Context& c, SubjectPtr) {
  co_return co_await grow_root(c.host, notes_of(c));
}

Task<Result<void>> mount_resource_disk(Context& c, SubjectPtr) {
  co_return co_await prepare_resource_disk(c.host, notes_of(c));
}

Task<Result<void>> mount_needed_resource_disk(Context& c, SubjectPtr) {
  co_return co_await prepare_resource_disk(c.host, notes_of(c), true);
}

Task<Result<void>> eject(Context& c, SubjectPtr) {
  return eject_disc(c.host);
}

}  // namespace

// The custom data on the disc may contain secrets, and until the next boot any user who can mount the disc could read
// them.
Task<Result<void>> eject_disc(host::Host& host) {
  const auto drive = host.files.exists(kDisc);
  if (!drive) co_return drive.error();
  if (!*drive) co_return Result<void>();
  co_return co_await run_well(host, host::command("eject", kDisc));
}

Task<Result<void>> grow_root(host::Host& host, DiskNote note) {
  const auto partition = root_partition(host.files);
  if (!partition) co_return partition.error();
  if (!*partition) {
    note("the root file system is not on a partition: it stays as it is");
    co_return Result<void>();
  }
  const Partition& root = **partition;
  auto grown = co_await run(host, host::command("growpart", root.disk, root.number));
  if (!grown) co_return std::move(grown).error();
  const bool unchanged = grown->code == 1 && grown->out.find("NOCHANGE") != std::string::npos;
  if (!grown->ok() && !unchanged) co_return grown->as_error("growpart");
  const auto mount = mounted_at(host.kernel, "/");
  if (!mount) co_return mount.error();
  auto command = *mount ? growing((*mount)->type, root.device) : std::nullopt;
  if (!command) {
    note("the root file system is one that cannot be grown: " + (*mount ? (*mount)->type : std::string("unknown")));
    co_return Result<void>();
  }
  // The file system is grown even if the partition has not changed, because a run may have been interrupted between the
  // two.
  co_return co_await run_well(host, *std::move(command), 10min);
}

Task<Result<void>> prepare_resource_disk(host::Host& host, DiskNote note, bool expected) {
  const auto other = mounted_at(host.kernel, kMountPoint);
  if (!other) co_return other.error();
  if (*other) co_return Result<void>();
  const auto found = co_await find_resource_disk(host, expected);
  if (!found) co_return found.error();
  if (found->empty()) {
    if (expected) note("this VM has no resource disk");
    co_return Result<void>();
  }
  const std::string& disk = *found;
  const std::string partition = disk + "-part1";
  const auto there = host.files.exists(partition);
  if (!there) co_return there.error();
  if (!*there) {
    Result<void> made = co_await make_partition(host, disk);
    if (!made) co_return made;
  }
  const auto usable = co_await has_file_system(host, partition, note);
  if (!usable) co_return usable.error();
  if (!*usable) co_return Result<void>();
  if (auto noted = note_in_fstab(host.files, partition); !noted) co_return noted;
  if (auto made = host.files.make_directories(kMountPoint); !made) co_return made;
  auto mounted = host.kernel.mount({partition, kMountPoint, "ext4", "rw"});
  // systemd may also mount the entries of /etc/fstab.
  if (!mounted && mounted.error().os_errno == EBUSY) co_return Result<void>();
  co_return mounted;
}

Declarations disk_steps() {
  return {
      {.name = "disk.resource",
       .purpose = "prepares the resource disk, which kubelet's files are on, and mounts it at /mnt",
       .original = "-",
       .when = "cloud-init is switched off and kubelet's files are on the resource disk",
       .wanted = [](const Subject& s) { return without_cloud_init(s) && on_temporary_disk(s); },
       .after = {"kernel.swap"},  // that step also writes /etc/fstab
       .files = resource_files,
       .touches = {kMountPoint},
       .deadline = 660s,
       .exit_code = exit_code::kSystemctlStartFail,
       .body = mount_needed_resource_disk},
      {.name = "disk.resource_later",
       .purpose = "prepares the resource disk and mounts it at /mnt",
       .original = "-",
       .when = "cloud-init is switched off and kubelet's files are not on the resource disk",
       .wanted = [](const Subject& s) { return without_cloud_init(s) && !on_temporary_disk(s); },
       .needs = {"kubelet.started"},
       .files = resource_files,
       .touches = {kMountPoint},
       .deferred = true,
       .deadline = 660s,
       .fatal = false,
       .body = mount_resource_disk},
      {.name = "disk.grow_root",
       .purpose = "grows the root partition and its file system to the size of the disk",
       .original = "-",
       .when = "cloud-init is switched off",
       .wanted = without_cloud_init,
       .needs = {"kubelet.started"},
       .deferred = true,
       .deadline = 720s,
       .fatal = false,
       .body = grow},
      {.name = "disc.eject",
       .purpose = "ejects the provisioning disc",
       .original = "-",
       .when = "cloud-init is switched off",
       .wanted = without_cloud_init,
       .needs = {"kubelet.started"},
       .deferred = true,
       .fatal = false,
       .body = eject},
  };
}

}  // namespace sunup::plan
