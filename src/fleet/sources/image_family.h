// An image family: everything that is particular to one operating system of nodes. A new family is one file that
// defines an ImageFamily, and one row in image_families.cc (docs/adding-an-image-family.md).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/version.h"

namespace sunup::fleet {

struct Gallery {
  std::string_view community;           // the public gallery's name
  std::string_view sig_resource_group;  // of the shared image gallery
  std::string_view sig_gallery;
};

// One image definition. Within a family the first that fits an instance type is taken.
struct ImageDefinition {
  std::string_view name;        // "2204gen2containerd"
  std::string_view distro;      // what node bootstrapping calls it
  std::string_view arch;        // amd64 or arm64
  std::string_view generation;  // of Hyper-V: 1 or 2
  bool fips = false;            // these are in the shared gallery only
  bool trusted_launch = false;
};

// What a node class asks for.
struct FamilyQuery {
  std::string_view requested;  // imageFamily as written: Ubuntu, Ubuntu2204, Ubuntu2404, AzureLinux
  bool fips = false;
  bool trusted_launch = false;
  std::string_view kubernetes_version;
};

struct ImageFamily {
  std::string_view name;            // Ubuntu2204
  std::string_view effective_name;  // what label os-sku-effective says
  std::string_view os_sku;          // Ubuntu or AzureLinux
  std::string_view custom_data_os;  // what custom data is made for: ubuntu2204, azurelinux3 ...
  bool local_dns = true;
  Gallery gallery;
  std::span<const ImageDefinition> images;
  bool (*serves)(const FamilyQuery& query);
};

// The families, asked in this order.
std::span<const ImageFamily* const> image_families();

// The first of `families` that serves the query; null when none does.
const ImageFamily* find_image_family(const FamilyQuery& query,
                                     std::span<const ImageFamily* const> families = image_families());

inline constexpr Gallery kUbuntuGallery{"AKSUbuntu-38d80f77-467a-481f-a8d4-09b6d4220bd2", "AKS-Ubuntu", "AKSUbuntu"};
inline constexpr Gallery kAzureLinuxGallery{"AKSAzureLinux-f7c7cda5-1c9a-4bdc-a222-9614c968580b", "AKS-AzureLinux",
                                            "AKSAzureLinux"};

extern const ImageFamily kUbuntu2204;
extern const ImageFamily kUbuntu2404;
extern const ImageFamily kUbuntu2004;
extern const ImageFamily kAzureLinux2;
extern const ImageFamily kAzureLinux3;

}  // namespace sunup::fleet
