// A VM size and its properties. Read from the SKU list of Azure, from a short hand-written form, or from the built-in
// table of common sizes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "contract/finding.h"
#include "fleet/sources/document.h"

namespace sunup::fleet {

// Where Azure offers a size for this subscription.
struct SizeOffer {
  std::string location;                           // "eastus"
  std::optional<std::vector<std::string>> zones;  // "1", "2"; empty: unknown
};

struct InstanceType {
  std::string name;  // "Standard_D4s_v5"
  int cpus = 0;
  double memory_gib = 0;
  std::string arch = "amd64";  // or arm64
  bool generation1 = true;
  bool generation2 = true;
  int gpus = 0;
  std::string gpu_name;          // "t4"
  std::string gpu_manufacturer;  // "nvidia" or "amd"
  bool accelerated_networking = false;
  bool premium_storage = false;
  bool encryption_at_host = false;
  bool confidential = false;
  bool constrained_cores = false;
  bool ephemeral_os_disk = false;
  int64_t nvme_disk_mib = 0;  // only used if the placement is offered
  bool nvme_placement = false;
  int64_t cache_disk_bytes = 0;
  int64_t resource_disk_mib = 0;

  std::optional<std::vector<SizeOffer>> offers = {};  // empty: unknown, assumed to be everywhere
  std::string restriction = {};                       // the reason why a location is missing

  // The offer in this location; null if there is none or it is unknown.
  const SizeOffer* offer_in(std::string_view location) const;

  // The result of instance_type_labels(); filled in by with_labels(), so a batch computes it once.
  std::map<std::string, std::string> labels = {};
};

// The largest ephemeral OS disk of the size, and its placement.
struct EphemeralDisk {
  int64_t size_gb = 0;    // decimal; 0: none
  std::string placement;  // NvmeDisk, CacheDisk or ResourceDisk
};
EphemeralDisk ephemeral_disk(const InstanceType& type);

// The parts of a size's name, as labels show them: Standard_D4s_v5 is family D, series Ds_v5, version 5.
struct SizeName {
  std::string family;
  std::string series;
  std::string version = "1";
};
SizeName split_size_name(std::string_view name);

// The single-valued labels of a node of this size, without the region.
std::map<std::string, std::string> instance_type_labels(const InstanceType& type);
InstanceType with_labels(InstanceType type);

// Why no node of this size can be created; empty if it can.
std::string why_excluded(const InstanceType& type);

// {"name", "vCPUs", "memoryGiB", ...}, an element of Azure's SKU list with "capabilities", or a list of either. Entries
// that are not VM sizes (disks, snapshots) are skipped.
Result<std::vector<InstanceType>> read_instance_types(const Document& doc);

// The hint for an unknown size.
inline constexpr char kDescribeSizeHint[] =
    "give --instance-type a file that describes it: {name: ..., vCPUs: ..., memoryGiB: ...}, or its entry of "
    "`az vm list-skus`";

// A size of the built-in table, case-insensitive.
std::optional<InstanceType> known_instance_type(std::string_view name);
// All of them, smaller ones first.
const std::vector<std::string>& known_size_names();

// Checks the entries of a document before they are read: wrong types, unknown architectures, unused fields, and sizes
// that are described twice.
void check_instance_types(const Document& doc, std::vector<contract::Finding>& findings);

}  // namespace sunup::fleet
