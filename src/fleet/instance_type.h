// A VM size: what a launch needs to know of it. Read from the SKU list of Azure, from a short form people write by
// hand, or from the table of common sizes built in.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "contract/finding.h"
#include "fleet/document.h"

namespace sunup::fleet {

// Where Azure has VMs of a size, for this subscription.
struct SizeOffer {
  std::string location;                           // "eastus"
  std::optional<std::vector<std::string>> zones;  // "1", "2"; nothing: not known
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
  bool ultra_ssd = false;
  bool encryption_at_host = false;
  bool confidential = false;
  bool constrained_cores = false;
  bool ephemeral_os_disk = false;
  int64_t nvme_disk_mib = 0;  // counts only where the placement is offered
  bool nvme_placement = false;
  int64_t cache_disk_bytes = 0;
  int64_t resource_disk_mib = 0;

  std::optional<std::vector<SizeOffer>> offers = {};  // nothing: not known, taken for everywhere
  std::string restriction = {};                       // the reason for which a location is not among them

  // The offer in this location; null when none is known, and when there is none.
  const SizeOffer* offer_in(std::string_view location) const;

  // What instance_type_labels() gives for it; filled in by with_labels(), so that a batch works them out once.
  std::map<std::string, std::string> labels = {};
};

// The largest OS disk the size can hold without a managed disk, and where it would be.
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

// The labels a node of this size gets, of those that have one value only. The region is not the size's to say.
std::map<std::string, std::string> instance_type_labels(const InstanceType& type);
InstanceType with_labels(InstanceType type);

// Why no node of this size can be made; empty when one can.
std::string why_excluded(const InstanceType& type);

// {"name", "vCPUs", "memoryGiB", ...}, an element of Azure's SKU list with "capabilities", or a list of either. What
// such a list has besides VM sizes (disks, snapshots) is passed over.
Result<std::vector<InstanceType>> read_instance_types(const Document& doc);

// What to do about a size that nobody has described.
inline constexpr char kDescribeSizeHint[] =
    "give --instance-type a file that describes it: {name: ..., vCPUs: ..., memoryGiB: ...}, or its entry of "
    "`az vm list-skus`";

// A size of the built-in table, letter case ignored.
std::optional<InstanceType> known_instance_type(std::string_view name);
// Of all of them, the smaller before the larger.
const std::vector<std::string>& known_size_names();

// What is wrong with the entries of a document, before they are read: a type that a field does not have, an
// architecture that no VM has, a field that nobody reads, a size that is described twice.
void check_instance_types(const Document& doc, std::vector<contract::Finding>& findings);

}  // namespace sunup::fleet
