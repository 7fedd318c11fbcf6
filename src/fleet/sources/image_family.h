// An image family: everything that is particular to one operating system of nodes. A new family is one definition and
// one row of the table in image_family.cc (docs/adding-an-image-family.md).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/version_changes.h"

namespace sunup::fleet {

struct Gallery {
  std::string_view community;           // the public gallery's name
  std::string_view sig_resource_group;  // of the shared image gallery
  std::string_view sig_gallery;
};

// One image definition. The first one of a family that fits an instance type is used.
struct ImageDefinition {
  std::string_view name;        // "2204gen2containerd"
  std::string_view distro;      // its name in node bootstrapping
  std::string_view arch;        // amd64 or arm64
  std::string_view generation;  // of Hyper-V: 1 or 2
  bool fips = false;            // these are in the shared gallery only
  bool trusted_launch = false;
};

// What a node class requests.
struct FamilyQuery {
  std::string_view requested;  // imageFamily as written: Ubuntu, Ubuntu2204, AzureLinux ...
  bool fips = false;
  bool trusted_launch = false;
  std::string_view kubernetes_version;
};

struct ImageFamily {
  std::string_view name;            // Ubuntu2204
  std::string_view effective_name;  // the value of label os-sku-effective
  std::string_view os_sku;          // Ubuntu, AzureLinux or AzureContainerLinux
  std::string_view custom_data_os;  // selects the form of custom data: ubuntu2204, azurelinux3 ...
  bool local_dns = true;
  bool runs_scripts = true;  // custom data may be a script; otherwise it is a config that the controller reads
  const versions::Change* since = nullptr;  // the first Kubernetes version that it is for; null: all
  Gallery gallery;
  std::span<const ImageDefinition> images;
  bool (*serves)(const FamilyQuery& query);
};

// The families in order of precedence.
std::span<const ImageFamily* const> image_families();

// The first of `families` that serves the query; null if none does.
const ImageFamily* find_image_family(const FamilyQuery& query,
                                     std::span<const ImageFamily* const> families = image_families());

inline constexpr Gallery kUbuntuGallery{"AKSUbuntu-38d80f77-467a-481f-a8d4-09b6d4220bd2", "AKS-Ubuntu", "AKSUbuntu"};
inline constexpr Gallery kAzureLinuxGallery{"AKSAzureLinux-f7c7cda5-1c9a-4bdc-a222-9614c968580b", "AKS-AzureLinux",
                                            "AKSAzureLinux"};

}  // namespace sunup::fleet
