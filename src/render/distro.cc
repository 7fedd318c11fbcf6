#include "render/distro.h"

#include <algorithm>

#include "base/text.h"

namespace sunup::render {
namespace {

constexpr std::string_view kDebianAnchors = "/usr/local/share/ca-certificates";
constexpr std::string_view kDebianCustomAnchors = "/usr/local/share/ca-certificates/certs";
constexpr std::string_view kRpmAnchors = "/usr/share/pki/ca-trust-source/anchors";
constexpr std::string_view kEtcAnchors = "/etc/pki/ca-trust/source/anchors";  // if /usr is read-only
constexpr std::string_view kFlatcarAnchors = "/etc/ssl/certs";
constexpr std::string_view kDebianTool = "update-ca-certificates";
constexpr std::string_view kRpmTool = "update-ca-trust";

constexpr DistroTraits ubuntu(Distro distro, std::string_view name, std::string_view version) {
  return {.distro = distro,
          .name = name,
          .image_names = {"ubuntu"},
          .usual_version = version,
          .ignition = false,
          .packages = PackageFormat::kDeb,
          .package_tool = PackageTool::kApt,
          .package_os = "ubuntu",
          .relinks_resolv_conf = true,
          .use_domains = false,
          .proxy_ca_folder = kDebianAnchors,
          .custom_ca_folder = kDebianCustomAnchors,
          .ca_suffix = "crt",
          .ca_tool = kDebianTool,
          .huge_page_unit = false,
          .mitigation = ModuleMitigation::kByKernel,
          .secondary_nic_tool = SecondaryNicTool::kNetplan,
          .secondary_nic_metric = 100,
          .snapshot_update_timer = true,
          .upgrades = UpgradeTool::kApt,
          .installs_cni = true,
          .kube_packages = true,
          .cached_package_first = false,
          .extension_starts_kubelet = false,
          .nvidia = true,
          .amd_transcoders = false,
          .gpu_caches = true,
          .hotfix_list = "ubuntu.yml"};
}

constexpr DistroTraits azure_linux(Distro distro, std::string_view name, ModuleMitigation mitigation) {
  return {.distro = distro,
          .name = name,
          .image_names = {"azurelinux"},
          .usual_version = "3.0",
          .ignition = false,
          .packages = PackageFormat::kRpm,
          .package_tool = PackageTool::kDnf,
          .package_os = "azurelinux",
          .relinks_resolv_conf = false,
          .use_domains = true,
          .proxy_ca_folder = kRpmAnchors,
          .custom_ca_folder = kRpmAnchors,
          .ca_suffix = "crt",
          .ca_tool = kRpmTool,
          .huge_page_unit = true,
          .mitigation = mitigation,
          .secondary_nic_tool = SecondaryNicTool::kNetworkctl,
          .secondary_nic_metric = 2000,
          .snapshot_update_timer = true,
          .upgrades = UpgradeTool::kDnfAutomatic,
          .installs_cni = true,
          .kube_packages = true,
          .cached_package_first = false,
          .extension_starts_kubelet = false,
          .nvidia = true,
          .amd_transcoders = true,
          .gpu_caches = true,
          .hotfix_list = "mariner.yml"};
}

constexpr DistroTraits mariner2() {
  DistroTraits row = azure_linux(Distro::kMariner2, "mariner2", ModuleMitigation::kAlways);
  row.image_names = {"mariner", "cblmariner"};
  row.usual_version = "2.0";
  row.package_os = "mariner";
  row.kube_packages = false;
  row.amd_transcoders = false;
  return row;
}

constexpr DistroTraits os_guard() {
  DistroTraits row = azure_linux(Distro::kOsGuard, "osguard", ModuleMitigation::kAlways);
  row.image_names = {"osguard"};
  row.package_tool = PackageTool::kTdnf;
  row.proxy_ca_folder = kEtcAnchors;
  row.custom_ca_folder = kEtcAnchors;
  row.snapshot_update_timer = false;
  row.upgrades = UpgradeTool::kNone;
  row.installs_cni = false;
  row.cached_package_first = true;
  row.nvidia = false;
  row.amd_transcoders = false;
  row.gpu_caches = false;
  row.hotfix_list = "";
  return row;
}

constexpr DistroTraits flatcar() {
  return {.distro = Distro::kFlatcar,
          .name = "flatcar",
          .image_names = {"flatcar"},
          .usual_version = "",
          .ignition = true,
          .packages = PackageFormat::kSysext,
          .package_tool = PackageTool::kNone,
          .package_os = "azurelinux",
          .relinks_resolv_conf = false,
          .use_domains = false,
          .proxy_ca_folder = kFlatcarAnchors,
          .custom_ca_folder = kFlatcarAnchors,
          .ca_suffix = "pem",
          .ca_tool = kDebianTool,
          .huge_page_unit = false,
          .mitigation = ModuleMitigation::kNever,
          .secondary_nic_tool = SecondaryNicTool::kNetworkctl,
          .secondary_nic_metric = 2000,
          .snapshot_update_timer = false,
          .upgrades = UpgradeTool::kNone,
          .installs_cni = true,
          .kube_packages = true,
          .cached_package_first = false,
          .extension_starts_kubelet = false,
          .nvidia = false,
          .amd_transcoders = false,
          .gpu_caches = true,
          .hotfix_list = ""};
}

constexpr DistroTraits acl() {
  DistroTraits row = flatcar();
  row.distro = Distro::kAcl;
  row.name = "acl";
  row.image_names = {"acl", "azurecontainerlinux"};
  row.extension_starts_kubelet = true;
  row.nvidia = true;
  row.proxy_ca_folder = kEtcAnchors;
  row.custom_ca_folder = kEtcAnchors;
  row.ca_suffix = "crt";
  row.ca_tool = kRpmTool;
  row.secondary_nic_tool = SecondaryNicTool::kNetworkdRestart;
  return row;
}

constexpr DistroTraits unknown() {
  DistroTraits row = ubuntu(Distro::kUnknown, "unknown", "");
  row.image_names = {"debian"};
  row.hotfix_list = "";
  row.package_tool = PackageTool::kNone;
  row.relinks_resolv_conf = false;
  row.mitigation = ModuleMitigation::kNever;
  row.secondary_nic_tool = SecondaryNicTool::kNetworkctl;
  row.secondary_nic_metric = 2000;
  row.snapshot_update_timer = false;
  row.upgrades = UpgradeTool::kNone;
  return row;
}

constexpr std::array kTable{
    ubuntu(Distro::kUbuntu2204, "ubuntu2204", "22.04"),
    ubuntu(Distro::kUbuntu2404, "ubuntu2404", "24.04"),
    ubuntu(Distro::kUbuntuOther, "ubuntu", ""),
    azure_linux(Distro::kAzureLinux3, "azurelinux3", ModuleMitigation::kNever),
    mariner2(),
    os_guard(),
    flatcar(),
    acl(),
    unknown(),
};

constexpr bool in_order() {
  for (size_t i = 0; i < kTable.size(); ++i)
    if (static_cast<size_t>(kTable[i].distro) != i) return false;
  return true;
}
static_assert(in_order(), "traits() indexes the table by the enumerator");

// The value of the first line `key=value` in any of the texts, without quotes.
std::string first_value(const std::vector<std::string>& texts, std::string_view key) {
  for (std::string_view text : texts) {
    while (!text.empty()) {
      std::string_view line = take_until(text, '\n');
      if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != '=') continue;
      line.remove_prefix(key.size() + 1);
      std::string value;
      for (const char c : line)
        if (c != '"' && c != '\'' && c != '\r') value += c;
      return value;
    }
  }
  return {};
}

Distro judge(const std::string& id, const std::string& version, const std::string& variant) {
  if (id == "UBUNTU") {
    if (version == "22.04") return Distro::kUbuntu2204;
    return version == "24.04" ? Distro::kUbuntu2404 : Distro::kUbuntuOther;
  }
  if (id == "AZURECONTAINERLINUX" || (id == "AZURELINUX" && variant == "AZURECONTAINERLINUX")) return Distro::kAcl;
  if (id == "AZURELINUX" && variant == "OSGUARD") return Distro::kOsGuard;
  if (id == "AZURELINUX" || id == "AZURELINUXKATA") {
    return version.starts_with("2.") || version == "2" ? Distro::kMariner2 : Distro::kAzureLinux3;
  }
  if (id == "MARINER" || id == "MARINERKATA") return Distro::kMariner2;
  return id == "FLATCAR" ? Distro::kFlatcar : Distro::kUnknown;
}

}  // namespace

const DistroTraits& traits(Distro distro) {
  return kTable.at(static_cast<size_t>(distro));
}

std::optional<Distro> distro_by_name(std::string_view name) {
  for (const DistroTraits& row : kTable)
    if (row.name == name) return row.distro;
  return std::nullopt;
}

std::vector<std::string_view> distro_names() {
  std::vector<std::string_view> names;
  for (const DistroTraits& row : kTable) names.push_back(row.name);
  return names;
}

const DistroTraits* traits_by_image(std::string_view os) {
  const std::string name = lowered(os);
  for (const DistroTraits& row : kTable)
    for (const std::string_view begin : row.image_names)
      if (!begin.empty() && name.starts_with(begin)) return &row;
  return nullptr;
}

std::vector<std::string_view> image_name_beginnings() {
  std::vector<std::string_view> all;
  for (const DistroTraits& row : kTable)
    for (const std::string_view begin : row.image_names)
      if (!begin.empty() && std::ranges::find(all, begin) == all.end()) all.push_back(begin);
  return all;
}

OsIdentity identify(const std::vector<std::string>& release_texts) {
  OsIdentity os;
  os.id = uppered(first_value(release_texts, "ID"));
  os.version = first_value(release_texts, "VERSION_ID");
  os.distro = judge(os.id, os.version, uppered(first_value(release_texts, "VARIANT_ID")));
  return os;
}

}  // namespace sunup::render
