// The Linux distributions that nodes run, and how they differ, as one table. A step asks `traits()`; nothing else in
// the product compares distribution names.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sunup::render::node {

enum class Distro : uint8_t {
  kUbuntu2204,
  kUbuntu2404,
  kUbuntuOther,  // 20.04, 26.04 ...: as 24.04, but for what depends on the version text
  kAzureLinux3,
  kMariner2,  // also Azure Linux 2.0
  kOsGuard,
  kFlatcar,
  kAcl,      // Azure Container Linux
  kUnknown,  // anything else with systemd: only what is safe everywhere
};

enum class PackageFormat : uint8_t { kDeb, kRpm, kSysext };
enum class PackageTool : uint8_t { kApt, kDnf, kTdnf, kNone };
enum class ModuleMitigation : uint8_t { kByKernel, kAlways, kNever };
enum class SecondaryNicTool : uint8_t { kNetplan, kNetworkctl, kNetworkdRestart };
enum class UpgradeTool : uint8_t { kApt, kDnfAutomatic, kNone };

struct DistroTraits {
  Distro distro;
  std::string_view name;  // as `--os` spells it
  PackageFormat packages;
  PackageTool package_tool;
  std::string_view package_os;       // the distribution as the package repositories' artifacts spell it
  bool relinks_resolv_conf;          // /etc/resolv.conf becomes a link to networkd's list of servers
  bool use_domains;                  // search domains from DHCP are off in the image
  std::string_view proxy_ca_folder;  // trust anchors: the HTTP proxy's
  std::string_view custom_ca_folder;
  std::string_view ca_suffix;
  std::string_view ca_tool;
  bool huge_page_unit;  // sysfs.conf is not read here, so a unit sets huge pages at boot
  ModuleMitigation mitigation;
  SecondaryNicTool secondary_nic_tool;
  int secondary_nic_metric;  // of the first one, less 100
  bool snapshot_update_timer;
  UpgradeTool upgrades;
  bool installs_cni;
};

const DistroTraits& traits(Distro distro);
std::optional<Distro> distro_by_name(std::string_view name);
std::vector<std::string_view> distro_names();

struct OsIdentity {
  Distro distro = Distro::kUnknown;
  std::string id;       // upper case, e.g. "UBUNTU"
  std::string version;  // VERSION_ID as written, e.g. "22.04"
};

// From the texts of /etc/*-release, in descending order of file name: the first ID, VERSION_ID and VARIANT_ID count.
OsIdentity identify(const std::vector<std::string>& release_texts);

}  // namespace sunup::render::node
