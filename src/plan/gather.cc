#include "plan/gather.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <sstream>

#include "render/gpu_components.h"
#include "render/node/binary_source.h"
#include "render/node/cni.h"
#include "render/node/gpu.h"
#include "render/node/local_dns_files.h"
#include "render/node/swap.h"

namespace sunup::plan {
namespace {

using render::node::kHostsSetup;
using render::node::kPackagedList;
using render::node::kPluginFolder;
using render::node::NodeFacts;

// Reads what there is to know. The first error that is not absence is kept and ends it: facts without it would be of
// another node.
class Looking {
 public:
  explicit Looking(host::Files& files) : files_(files) {}

  std::optional<std::string> read(const std::string& path, uint64_t most = host::kLargestText) {
    return kept(files_.read_if_there(path, most));
  }
  std::optional<host::FileInfo> info(const std::string& path) { return kept(files_.info_if_there(path)); }
  std::optional<std::string> link(const std::string& path) { return kept(files_.link_if_there(path)); }
  std::vector<std::string> list(const std::string& folder) { return kept(files_.list_if_there(folder)); }
  bool exists(const std::string& path) { return kept(files_.exists(path)); }
  // Nothing where it cannot be told (--root).
  std::optional<uint64_t> free_kib(const std::string& folder) {
    auto space = files_.free_kib(folder);
    if (space) return *space;
    if (space.error().os_errno != ENOTSUP && !host::is_absent(space.error())) keep(std::move(space).error());
    return std::nullopt;
  }
  // A directory has no text.
  std::optional<std::string> read_unless_directory(const std::string& path) {
    auto text = files_.read(path);
    if (text) return *std::move(text);
    if (text.error().os_errno != EISDIR && !host::is_absent(text.error())) keep(std::move(text).error());
    return std::nullopt;
  }

  const std::optional<Error>& error() const { return error_; }

 private:
  template <class T>
  T kept(Result<T> looked) {
    if (looked) return *std::move(looked);
    keep(std::move(looked).error());
    return T();
  }
  void keep(Error error) {
    if (!error_) error_ = std::move(error);
  }

  host::Files& files_;
  std::optional<Error> error_;
};

std::string first_line(Looking& files, const std::string& path) {
  const std::string text = files.read(path).value_or("");
  return text.substr(0, text.find('\n'));
}

std::vector<std::string> release_texts(Looking& files) {
  std::vector<std::string> names = files.list("/etc");
  std::erase_if(names, [](const std::string& name) { return !name.ends_with("-release"); });
  std::sort(names.rbegin(), names.rend());
  std::vector<std::string> texts;
  for (const std::string& name : names)
    if (auto text = files.read_unless_directory("/etc/" + name)) texts.push_back(*std::move(text));
  return texts;
}

// Units whose presence decides something, wherever they are kept.
constexpr const char* kUnits[] = {
    "kubelet.service",
    "containerd.service",
    "localdns.service",
    "aks-localdns-hosts-setup.service",
    "aks-localdns-hosts-setup.timer",
    "localdns-exporter.socket",
    "dhcpv6.service",
    "node-exporter.service",
    "node-exporter-restart.path",
    "aks-log-collector.timer",
    "snapshot-update.timer",
    "ensure-no-dup.service",
    "ssh.service",
    "sshd.service",
    "nvidia-fabricmanager.service",
    "nvidia-device-plugin.service",
    "nvidia-dcgm.service",
    "nvidia-dcgm-exporter.service",
    "dra-driver-nvidia-gpu.service",
    "rsyslog.service",
    "networking.service",
    "reconcile-private-hosts.service",
    "measure-tls-bootstrapping-latency.service",
    "bind-mount.service",
    "nvidia-modprobe.service",
    "node-problem-detector.service",
};

constexpr const char* kPaths[] = {
    "/opt/azure/containers/localdns/localdns.sh",
    kHostsSetup,
    "/opt/azure/vhd-install.complete",
    "/etc/cloud/cloud-init.disabled",
    "/opt/azure/containers/init-aks-cloud.sh",
    "/sys/fs/cgroup/cgroup.controllers",
    "/etc/localdns/hosts",
    "/etc/update-motd.d",
    "/etc/systemd/system/aks-localdns-hosts-setup.timer.d/10-refresh-interval.conf",
    "/opt/azure/containers/aks-transparent-hugepage/enabled",
    "/opt/azure/containers/aks-transparent-hugepage/defrag",
    "/etc/node-exporter.d/skip_vhd_node_exporter",
    "/etc/cni/net.d/10-azure.conflist",
    "/etc/dnf/automatic.conf",
    "/var/lib/kubelet/credential-provider/acr-credential-provider",
};

// Folders whose names decide something: caches, plugins, certificates.
constexpr const char* kFolders[] = {
    "/opt/bin",
    kPluginFolder,
    "/opt/cni/downloads",
    "/opt/kubelet/downloads",
    "/opt/kubectl/downloads",
    "/opt/azure-acr-credential-provider/downloads",
    "/opt/credentialprovider/downloads",
    "/opt/kubernetes/downloads",
    "/opt/kubernetes/downloads/private-packages",
    "/opt/azure",
};

// Files that get edited, in place or in a copy for the first boot. What is planned follows from these texts; an edit
// reads its file again.
constexpr const char* kTexts[] = {
    "/etc/systemd/system/kubelet.service",
    "/usr/lib/systemd/system/containerd.service",
    "/lib/systemd/system/containerd.service",
    "/etc/containerd/config.toml",
    "/etc/environment",
    "/etc/fstab",
    "/etc/sysfs.conf",
    "/etc/systemd/networkd.conf",
    "/etc/network/interfaces.d/50-cloud-init.cfg",
    "/etc/ssh/sshd_config",
    kPackagedList,
    "/etc/apt/apt.conf.d/99periodic",
    "/etc/dnf/automatic.conf",
};

void add_text(Looking& files, const std::string& path, NodeFacts& facts) {
  auto text = files.read(path);
  if (!text) return;
  facts.texts[path] = *std::move(text);
  if (const auto info = files.info(path)) facts.modes[path] = info->mode;
}

void add_folder(Looking& files, const std::string& folder, NodeFacts& facts) {
  for (const std::string& name : files.list(folder)) facts.paths.insert(folder + "/" + name);
}

// What the mark beside a program says of it (render/node/binary_source.h).
void add_marked(Looking& files, const std::string& tool, NodeFacts& facts) {
  const auto mark = files.read(render::node::kube_version_file(tool));
  const auto program = files.info("/opt/bin/" + tool);
  if (!mark || !program) return;
  if (std::string version = render::node::marked_version(*mark, program->size); !version.empty())
    facts.in_place[tool] = std::move(version);
}

// A driver that was built into the image: its kind and its modules.
void add_prebaked_driver(Looking& files, NodeFacts& facts) {
  auto marker = files.read(render::node::kPrebakeMarker);
  if (!marker) return;
  facts.texts[render::node::kPrebakeMarker] = *std::move(marker);
  for (const std::string& kernel : files.list("/lib/modules")) {
    const std::string folder = "/lib/modules/" + kernel + "/updates/dkms";
    for (const std::string& name : files.list(folder))
      if (name.starts_with("nvidia") && name.find(".ko") != std::string::npos) facts.paths.insert(folder + "/" + name);
  }
}

// fstab's and /proc/mounts' spelling of blanks.
std::string mount_point(std::string_view spelled) {
  std::string path;
  for (size_t i = 0; i < spelled.size(); ++i) {
    if (spelled.substr(i).starts_with("\\040")) {
      path += ' ';
      i += 3;
    } else {
      path += spelled[i];
    }
  }
  return path;
}

// What is free where a swap file can go; one of ours that is there already takes nothing away from itself. Nothing
// where nobody can tell.
std::optional<render::node::DiskSpace> disk_space(Looking& files) {
  const auto free_with = [&files](const std::string& folder, const std::string& swap) -> std::optional<uint64_t> {
    const auto space = files.free_kib(folder);
    if (!space) return std::nullopt;
    const auto there = files.info(swap);
    return *space + (there ? there->size / 1024 : 0);
  };
  render::node::DiskSpace space;
  space.root_free_kib = free_with("/", "/swapfile");
  if (!space.root_free_kib) return std::nullopt;
  // A link to the partition of the VM's temporary disk, which is mounted wherever the image likes.
  const std::string link = files.link("/dev/disk/azure/resource-part1").value_or("");
  if (link.empty()) return space;
  const std::string device = "/dev/" + link.substr(link.rfind('/') + 1);
  std::istringstream mounts(files.read("/proc/mounts").value_or(""));
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream fields(line);
    std::string from;
    std::string to;
    if (!(fields >> from >> to) || from != device) continue;
    space.temp_disk_mount = mount_point(to);
    space.temp_disk_free_kib = free_with(*space.temp_disk_mount, *space.temp_disk_mount + "/swapfile");
    break;
  }
  return space;
}

// "2.0.6" of "1:2.0.6+azure-ubuntu24.04u1".
std::string upstream_version(std::string version) {
  version.erase(0, version.find(':') + 1);
  version.resize(std::min(version.find_first_not_of("0123456789."), version.size()));
  return version;
}

}  // namespace

bool decides_something(std::string_view path) {
  return path.starts_with("/etc/modprobe.d/") ||
         std::find(std::begin(kTexts), std::end(kTexts), path) != std::end(kTexts);
}

namespace {

// As the package database tells it, or "2" or "" from what its package left; `containerd --version` takes seconds on a
// cold disk.
std::string containerd_version(Looking& files) {
  const std::string status = files.read("/var/lib/dpkg/status").value_or("");
  for (const char* package :
       {"\nPackage: moby-containerd\n", "\nPackage: containerd\n", "\nPackage: containerd.io\n"}) {
    const size_t at = status.find(package);
    if (at == std::string::npos) continue;
    const size_t end = status.find("\n\n", at);
    const size_t version = status.find("\nVersion: ", at);
    if (version == std::string::npos || version > end) continue;
    const size_t from = version + 10;
    return upstream_version(status.substr(from, status.find('\n', from) - from));
  }
  for (const char* left : {"/usr/share/licenses/containerd2", "/usr/share/doc/containerd2"})
    if (files.exists(left)) return "2";
  // The name of its own module is in a Go program's text. Reading it also warms what is to be started in a moment.
  constexpr uint64_t kLargestProgram = uint64_t{1} << 30;
  const std::string program = files.read("/usr/bin/containerd", kLargestProgram).value_or("");
  return program.find("github.com/containerd/containerd/v2") == std::string::npos ? "" : "2";
}

NodeFacts facts_of(Looking& files, const aksnodeconfig::v1::Configuration& config) {
  NodeFacts facts;
  const auto os = render::node::identify(release_texts(files));
  facts.distro = os.distro;
  facts.os_version = os.version;
  facts.kernel_release = first_line(files, "/proc/sys/kernel/osrelease");
  facts.hostname = first_line(files, "/proc/sys/kernel/hostname");
  if (facts.hostname.empty()) facts.hostname = first_line(files, "/etc/hostname");
#if defined(__aarch64__)
  facts.arch = "arm64";
#endif
  facts.containerd_version = containerd_version(files);
  facts.base_prep_done = files.exists("/opt/azure/containers/base_prep.complete") && !config.pre_provision_only();
  for (const char* unit : kUnits)
    for (const char* folder : {"/etc/systemd/system/", "/usr/lib/systemd/system/", "/lib/systemd/system/"})
      if (const std::string path = std::string(folder) + unit; files.exists(path)) facts.paths.insert(path);
  for (const char* path : kPaths)
    if (files.exists(path)) facts.paths.insert(path);
  if (const auto script = files.info(kHostsSetup)) facts.modes[kHostsSetup] = script->mode;
  for (const char* folder : kFolders) add_folder(files, folder, facts);
  // The plugins' modes count, too.
  for (const std::string& name : files.list(kPluginFolder))
    if (const auto info = files.info(std::string(kPluginFolder) + "/" + name))
      facts.modes[std::string(kPluginFolder) + "/" + name] = info->mode;
  for (const char* tool : {"kubelet", "kubectl"}) add_marked(files, tool, facts);
  add_prebaked_driver(files, facts);
  const std::string authorities(render::node::traits(facts.distro).custom_ca_folder);
  if (config.custom_ca_certs_size() > 0) add_folder(files, authorities, facts);
  if (const std::string& url = config.network_config().vnet_cni_plugins_url(); !url.empty()) {
    std::string name = url.substr(0, url.find_first_of("?#"));
    name = name.substr(name.rfind('/') + 1);
    if (name.ends_with(".tgz")) add_folder(files, "/opt/cni/downloads/" + name.substr(0, name.size() - 4), facts);
  }
  if (render::node::wants_swap(config)) facts.disks = disk_space(files);
  for (const char* path : kTexts) add_text(files, path, facts);
  for (const std::string& name : files.list("/etc/modprobe.d"))
    if (name.ends_with(".conf")) add_text(files, "/etc/modprobe.d/" + name, facts);
  if (auto components = files.read("/opt/azure/components.json"))
    if (auto images = render::parse_gpu_components(*components)) facts.gpu_images = *images;
  return facts;
}

}  // namespace

Result<NodeFacts> gather_facts(host::Files& files, const aksnodeconfig::v1::Configuration& config) {
  Looking looking(files);
  NodeFacts facts = facts_of(looking, config);
  if (looking.error()) return looking.error()->in("cannot determine the content of the image");
  return facts;
}

}  // namespace sunup::plan
