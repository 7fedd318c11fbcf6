// The Linux distributions that nodes run, and their differences, as one table. Other code uses `traits()` and does not
// compare distributions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sunup::render {

enum class Distro : uint8_t {
  kUbuntu2204,
  kUbuntu2404,
  kUbuntuOther,  // 20.04, 26.04 ...: like 24.04, except for what depends on the version text
  kAzureLinux3,
  kMariner2,  // also Azure Linux 2.0
  kOsGuard,
  kFlatcar,
  kAcl,      // Azure Container Linux
  kUnknown,  // anything else with systemd: only settings that are safe everywhere
};

enum class PackageFormat : uint8_t { kDeb, kRpm, kSysext };
enum class PackageTool : uint8_t { kApt, kDnf, kTdnf, kNone };
enum class ModuleMitigation : uint8_t { kByKernel, kAlways, kNever };
enum class SecondaryNicTool : uint8_t { kNetplan, kNetworkctl, kNetworkdRestart };
enum class UpgradeTool : uint8_t { kApt, kDnfAutomatic, kNone };

struct DistroTraits {
  Distro distro;
  std::string_view name;                        // the value of `--os`
  std::array<std::string_view, 2> image_names;  // prefixes of names of images for this distribution, in lower case
  std::string_view usual_version;               // VERSION_ID of its images, if they have one in common
  bool ignition;                                // custom data is an Ignition config
  PackageFormat packages;
  PackageTool package_tool;
  std::string_view package_os;       // the distribution's name in artifacts of the package repositories
  bool relinks_resolv_conf;          // /etc/resolv.conf becomes a link to networkd's list of servers
  bool use_domains;                  // the image disables search domains from DHCP
  std::string_view proxy_ca_folder;  // trust anchors: the HTTP proxy's
  std::string_view custom_ca_folder;
  std::string_view ca_suffix;
  std::string_view ca_tool;
  bool huge_page_unit;  // sysfs.conf is not read, so a unit sets huge pages at boot
  ModuleMitigation mitigation;
  SecondaryNicTool secondary_nic_tool;
  int secondary_nic_metric;  // of the first one, less 100
  bool snapshot_update_timer;
  UpgradeTool upgrades;
  bool installs_cni;
  bool kube_packages;             // the package repositories have kubelet and kubectl
  bool cached_package_first;      // /usr is read-only, and packages are signed for it
  bool extension_starts_kubelet;  // its kubelet extension starts kubelet as soon as it is merged
  bool nvidia;                    // has drivers for NVIDIA's GPUs
  bool amd_transcoders;           // has drivers for AMD's transcoders
  bool gpu_caches;                // its images have files for GPUs that a node without GPUs removes
  std::string_view hotfix_list;   // the file of a hotfix package with its scripts; empty: none
};

const DistroTraits& traits(Distro distro);
std::optional<Distro> distro_by_name(std::string_view name);
std::vector<std::string_view> distro_names();
// Selects by the name of an image's operating system, for example "ubuntu2204" or "CBLMariner"; null if it is unknown.
const DistroTraits* traits_by_image(std::string_view os);
// The beginnings of names that traits_by_image() knows, each once, in lower case.
std::vector<std::string_view> image_name_beginnings();

struct OsIdentity {
  Distro distro = Distro::kUnknown;
  std::string id;       // upper case, e.g. "UBUNTU"
  std::string version;  // VERSION_ID as written, e.g. "22.04"
};

// Parses the texts of /etc/*-release, in descending order of file name: the first ID, VERSION_ID and VARIANT_ID are
// used.
OsIdentity identify(const std::vector<std::string>& release_texts);

}  // namespace sunup::render
