#include "plan/gather.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "base/node_paths.h"
#include "plan/program_file.h"
#include "render/gpu_components.h"
#include "render/node/binary_source.h"
#include "render/node/swap.h"

namespace sunup::plan {
namespace {

using render::node::Dangling;
using render::node::NodeFacts;

// Reads files that may be absent. The first other error is kept, because without the file the facts would be wrong.
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
  ReadPart parts_of(const std::string& path) {
    if (!exists(path)) return [](uint64_t, size_t) { return std::string(); };
    return [this, path](uint64_t from, size_t most) { return kept(files_.read_part(path, from, most)); };
  }
  // Empty if it is unknown (--root).
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
  std::optional<Error> take_error() { return std::exchange(error_, std::nullopt); }

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

// An answer is not recorded if reading failed.
class RecordedImage final : public render::node::Image {
 public:
  explicit RecordedImage(host::Files& files) : files_(files) {}

  bool has(const std::string& path, Dangling dangling) override {
    const bool leads = answer(exists_, path, [&] { return files_.exists(path); });
    return leads ||
           (dangling == Dangling::kCounts && answer(links_, path, [&] { return files_.link(path).has_value(); }));
  }
  const std::string* text(const std::string& path) override {
    const auto& text = answer(texts_, path, [&] { return files_.read(path); });
    return text ? &*text : nullptr;
  }
  std::optional<unsigned> mode(const std::string& path) override {
    return answer(modes_, path, [&] {
      const auto info = files_.info(path);
      return info ? std::optional<unsigned>(info->mode) : std::nullopt;
    });
  }
  std::set<std::string> names_in(const std::string& folder) override {
    return answer(folders_, folder, [&] {
      const auto names = files_.list(folder);
      return std::set<std::string>(names.begin(), names.end());
    });
  }
  bool was_read(const std::string& path) const override { return texts_.contains(path); }
  const std::optional<Error>& error() const override { return files_.error(); }
  std::optional<Error> take_error() override { return files_.take_error(); }

 private:
  template <class T>
  using Answers = std::map<std::string, T, std::less<>>;

  template <class T, class Ask>
  const T& answer(Answers<T>& known, const std::string& about, const Ask& ask) {
    if (const auto found = known.find(about); found != known.end()) return found->second;
    const bool failed_before = files_.error().has_value();
    T now = ask();
    static const T kNone{};
    if (failed_before || files_.error()) return kNone;
    return known.emplace(about, std::move(now)).first->second;
  }

  Looking files_;
  Answers<bool> exists_;
  Answers<bool> links_;
  Answers<std::optional<std::string>> texts_;
  Answers<std::optional<unsigned>> modes_;
  Answers<std::set<std::string>> folders_;
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

// Adds the data of the mark beside a program (render/node/binary_source.h).
void add_marked(Looking& files, const std::string& tool, NodeFacts& facts) {
  const auto mark = files.read(render::node::kube_version_file(tool));
  const auto program = files.info(paths::kKubeTools + tool);
  if (!mark || !program) return;
  if (std::string version = render::node::marked_version(*mark, program->size); !version.empty())
    facts.in_place[tool] = std::move(version);
}

// Decodes the escapes for blanks in fstab and /proc/mounts.
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

// The free space for a swap file. An existing swap file of ours counts as free. Empty if it cannot be determined.
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
  // A link to the partition of the VM's temporary disk, whose mount point depends on the image.
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

// The version in the package database, otherwise "2" or "" from the files of the package. `containerd --version` takes
// seconds on a cold disk.
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
  constexpr std::string_view kModule = "github.com/containerd/containerd/v2";
  if (const std::string module = go_module_of(files.parts_of(paths::kContainerdProgram)); !module.empty())
    return module == kModule ? "2" : "";
  // It was built without modules, as Debian does, but its package is not in the database. Its symbols have the name,
  // too.
  constexpr uint64_t kLargestProgram = uint64_t{1} << 30;
  return files.read(paths::kContainerdProgram, kLargestProgram).value_or("").find(kModule) == std::string::npos ? ""
                                                                                                                : "2";
}

// From the header of a program of the image; empty: unknown.
std::string architecture_of_image(Looking& files) {
  for (const char* program :
       {paths::kContainerdProgram, "/usr/lib/systemd/systemd", "/lib/systemd/systemd", "/usr/bin/bash", "/bin/sh"})
    if (std::string known = architecture_of(files.parts_of(program)); !known.empty()) return known;
  return "";
}

NodeFacts facts_of(Looking& files, const aksnodeconfig::v1::Configuration& config, bool files_only) {
  NodeFacts facts;
  const auto os = render::identify(release_texts(files));
  facts.distro = os.distro;
  facts.os_version = os.version;
  facts.kernel_release = first_line(files, "/proc/sys/kernel/osrelease");
  facts.hostname = first_line(files, "/proc/sys/kernel/hostname");
  if (facts.hostname.empty()) facts.hostname = first_line(files, paths::kHostName);
#if defined(__aarch64__)
  facts.arch = "arm64";
#endif
  if (files_only)
    if (std::string arch = architecture_of_image(files); !arch.empty()) facts.arch = std::move(arch);
  facts.containerd_version = containerd_version(files);
  facts.base_prep_done = files.exists(paths::kBasePrepComplete) && !config.pre_provision_only();
  for (const char* tool : {"kubelet", "kubectl"}) add_marked(files, tool, facts);
  if (render::node::wants_swap(config)) facts.disks = disk_space(files);
  if (auto components = files.read(paths::kComponents))
    if (auto images = render::parse_gpu_components(*components)) facts.gpu_images = *images;
  return facts;
}

}  // namespace

Result<NodeFacts> gather_facts(host::Files& files, const aksnodeconfig::v1::Configuration& config, bool files_only) {
  Looking looking(files);
  NodeFacts facts = facts_of(looking, config, files_only);
  if (auto error = image_error(looking.take_error())) return *std::move(error);
  facts.image = recorded_image(files);
  return facts;
}

std::shared_ptr<render::node::Image> recorded_image(host::Files& files) {
  return std::make_shared<RecordedImage>(files);
}

std::optional<Error> image_error(std::optional<Error> error) {
  if (error) error = std::move(*error).in("cannot determine the content of the image");
  return error;
}

}  // namespace sunup::plan
