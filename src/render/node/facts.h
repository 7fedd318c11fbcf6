// What there is to know about a node besides its config: the image it booted from, the kernel, the metadata service's
// answer. Gathered once by whoever stands on the node, or read from a file by whoever only wants to see the result.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "render/gpu_components.h"
#include "render/nbc_config.h"
#include "render/node/distro.h"
#include "render/node/imds.h"

namespace sunup::render::node {

struct DiskSpace {
  std::optional<std::string> temp_disk_mount;  // where the VM's temporary disk is mounted, if it has one and it is
  std::optional<uint64_t> temp_disk_free_kib;  // unknown: the OS disk is used
  std::optional<uint64_t> root_free_kib;
};

struct NodeFacts {
  Distro distro = Distro::kUnknown;
  std::string os_version;      // VERSION_ID
  std::string kernel_release;  // uname -r
  std::string hostname;
  std::string arch = "amd64";
  std::string containerd_version;  // as `containerd --version` prints it, or bare; empty: unknown
  bool base_prep_done = false;     // the image was captured after the first phase
  std::optional<ImdsFacts> imds;   // nothing: it has not answered, or was not asked
  std::optional<DiskSpace> disks;  // nothing: not looked at
  GpuImages gpu_images;
  std::set<std::string> paths;               // what exists, of the paths that decisions look at
  std::map<std::string, std::string> texts;  // what is in the image's files that get edited
  std::map<std::string, unsigned> modes;     // of these files, where it is not the usual one

  SentTexts sent;  // what the sender of a command has rendered; empty: a config was sent

  std::map<std::string, std::string> in_place;  // kube tools in /opt/bin whose version is known -> "1.34.1"

  bool has(const std::string& path) const { return paths.contains(path) || texts.contains(path); }
  // The name of a unit, in either place where units are kept.
  bool has_unit(std::string_view unit) const;
  std::string_view text(const std::string& path) const;
  // What the command's variable says; null: it is not there.
  const std::string* sent_text(std::string_view variable) const;
  // An edited file keeps its mode.
  unsigned mode(const std::string& path, unsigned usual = 0644) const;

  bool tag(std::string_view name) const { return imds && imds->tag(name).value_or(false); }
  std::string primary_ipv4() const { return imds ? imds->primary_ipv4() : std::string(); }
};

// A current image with everything in it that provisioning may switch on; nothing known of the machine itself.
NodeFacts golden_image(Distro distro);

// Facts as a JSON object. Members: os (a name of `distro_names`), os_version, kernel_release, hostname, arch,
// containerd_version, base_prep_done, imds (the metadata service's answer), gpu_images (a component list), paths (list)
// texts (path -> text) and modes (path -> "0640"). What is left out is as in `golden_image` of that os.
Result<NodeFacts> facts_from_json(std::string_view text);

}  // namespace sunup::render::node
