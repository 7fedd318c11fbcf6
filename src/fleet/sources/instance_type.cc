#include "fleet/sources/instance_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "fleet/sources/conditions.h"
#include "fleet/sources/gpu.h"
#include "fleet/sources/patterns.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

double to_number(const json& value, double otherwise) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return otherwise;
  return as_number<double>(value.get_ref<const std::string&>()).value_or(otherwise);
}

std::vector<std::string> texts_of(const json& from, const char* name) {
  std::vector<std::string> texts;
  if (const auto it = from.find(name); it != from.end() && it->is_array())
    for (const json& item : *it)
      if (item.is_string()) texts.push_back(item.get<std::string>());
  return texts;
}

// The locations where the SKU list offers the size, without its restrictions.
void read_offers(const json& from, InstanceType& type) {
  std::vector<SizeOffer> offers;
  if (const auto info = from.find("locationInfo"); info != from.end() && info->is_array()) {
    for (const json& one : *info)
      if (std::string location = text_of(one, "location"); !location.empty())
        offers.push_back({std::move(location), texts_of(one, "zones")});
  } else {
    for (std::string& location : texts_of(from, "locations")) offers.push_back({std::move(location), std::nullopt});
  }
  const bool listed = !offers.empty();
  const auto restrictions = from.find("restrictions");
  if (restrictions != from.end() && restrictions->is_array()) {
    for (const json& one : *restrictions) {
      if (!one.is_object()) continue;
      const std::vector<std::string> locations = texts_of(one, "values");
      const auto meant = [&locations](const SizeOffer& offer) {
        return locations.empty() || std::any_of(locations.begin(), locations.end(), [&](const std::string& location) {
                 return equal_ignoring_case(location, offer.location);
               });
      };
      if (text_of(one, "type") == "Location") {
        std::erase_if(offers, meant);
        type.restriction = text_of(one, "reasonCode");
      } else if (text_of(one, "type") == "Zone") {
        const auto info = one.find("restrictionInfo");
        const auto zones = info == one.end() ? std::vector<std::string>() : texts_of(*info, "zones");
        for (SizeOffer& offer : offers)
          if (meant(offer) && offer.zones)
            std::erase_if(*offer.zones, [&zones](const std::string& zone) {
              return std::find(zones.begin(), zones.end(), zone) != zones.end();
            });
      }
    }
  }
  if (listed) type.offers = std::move(offers);
}

// The size of a disk in any unit; the limit is far above real disks.
int64_t to_size(double number) {
  return static_cast<int64_t>(std::clamp(number, 0.0, 1e15));
}

bool to_bool(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  return value.is_string() && equal_ignoring_case(value.get_ref<const std::string&>(), "true");
}

// The capabilities of a SKU, or the members of the short form: both are names and values.
json members(const json& from) {
  if (!from.contains("capabilities")) return from;
  json flat = from;
  for (const json& capability : from["capabilities"])
    if (const std::string name = text_of(capability, "name"); !name.empty() && capability.contains("value"))
      flat[name] = capability["value"];
  return flat;
}

Result<InstanceType> read_one(const json& object) {
  if (!object.is_object()) return Error("an instance type must be an object");
  const json from = members(object);
  const auto any = [&from](std::initializer_list<const char*> names) -> const json* {
    for (const char* name : names)
      if (const auto it = from.find(name); it != from.end()) return &*it;
    return nullptr;
  };
  const auto number = [&](std::initializer_list<const char*> names, double otherwise) {
    const json* value = any(names);
    return value == nullptr ? otherwise : to_number(*value, otherwise);
  };
  const auto flag = [&](std::initializer_list<const char*> names) {
    const json* value = any(names);
    return value != nullptr && to_bool(*value);
  };
  const auto text = [&](std::initializer_list<const char*> names) -> std::string {
    const json* value = any(names);
    return value != nullptr && value->is_string() ? value->get<std::string>() : "";
  };

  InstanceType type;
  type.name = text({"name", "vmSize", "size"});
  if (type.name.empty()) return Error("an instance type needs a name, such as Standard_D4s_v5");
  const auto known = known_instance_type(type.name);
  if (known) type = *known;
  if (!contract::is_label_value(type.name))
    return Error(fmt::format("instance type '{}': is not a size name such as Standard_D4s_v5", type.name));
  const double cpus = number({"vCPUs", "vcpus", "cpus", "cpu"}, type.cpus);
  type.memory_gib = number({"MemoryGB", "memoryGiB", "memoryGB", "memory"}, type.memory_gib);
  constexpr double kMost = 1e6;  // of either; more than any machine has
  if (!(cpus >= 0 && cpus <= kMost && cpus == std::floor(cpus) && type.memory_gib >= 0 && type.memory_gib <= kMost))
    return Error(fmt::format("instance type {}: vCPUs must be a whole number and memoryGiB a number, of a real machine",
                             type.name));
  type.cpus = static_cast<int>(cpus);
  if (type.cpus <= 0 || type.memory_gib <= 0)
    return Error(fmt::format("instance type {}: vCPUs and memoryGiB must be given", type.name))
        .with_hint("this size is not among the built-in ones");
  if (const std::string arch = lowered(text({"CpuArchitectureType", "arch", "architecture"})); !arch.empty())
    type.arch = arch == "arm64" ? "arm64" : "amd64";
  if (const std::string generations = lowered(text({"HyperVGenerations", "hyperVGenerations"})); !generations.empty()) {
    type.generation1 = generations.find("v1") != generations.npos || generations == "1";
    type.generation2 = generations.find("v2") != generations.npos || generations == "2";
  } else if (type.arch == "arm64") {
    type.generation1 = false;
  }
  type.gpus = static_cast<int>(std::clamp(number({"GPUs", "gpus"}, type.gpus), 0.0, kMost));
  if (const std::string name = text({"gpuName"}); !name.empty()) type.gpu_name = name;
  if (type.gpus > 0 && type.gpu_manufacturer.empty()) {
    const auto gpu = find_gpu_size(type.name);
    type.gpu_manufacturer = gpu && gpu->vendor == GpuVendor::kAmd ? "amd" : "nvidia";
  }
  type.accelerated_networking =
      flag({"AcceleratedNetworkingEnabled", "acceleratedNetworking"}) || type.accelerated_networking;
  type.premium_storage = flag({"PremiumIO", "premiumStorage"}) || type.premium_storage;
  type.encryption_at_host = flag({"EncryptionAtHostSupported", "encryptionAtHost"}) || type.encryption_at_host;
  type.confidential = !text({"ConfidentialComputingType"}).empty() || flag({"confidential"});
  const double available = number({"vCPUsAvailable"}, type.cpus);
  type.constrained_cores = available != type.cpus || flag({"constrainedCores"});
  type.ephemeral_os_disk = flag({"EphemeralOSDiskSupported", "ephemeralOSDisk"}) || type.ephemeral_os_disk;
  type.nvme_disk_mib = to_size(number({"NvmeDiskSizeInMiB", "nvmeDiskMiB"}, 0));
  type.nvme_placement =
      text({"SupportedEphemeralOSDiskPlacements", "ephemeralPlacements"}).find("NvmeDisk") != std::string::npos;
  type.cache_disk_bytes =
      to_size(number({"CachedDiskBytes", "cacheDiskBytes"}, static_cast<double>(type.cache_disk_bytes)));
  type.resource_disk_mib =
      to_size(number({"MaxResourceVolumeMB", "resourceDiskMiB"}, static_cast<double>(type.resource_disk_mib)));
  read_offers(object, type);
  return type;
}

}  // namespace

const SizeOffer* InstanceType::offer_in(std::string_view location) const {
  if (!offers) return nullptr;
  const auto it = std::find_if(offers->begin(), offers->end(), [location](const SizeOffer& offer) {
    return equal_ignoring_case(offer.location, location);
  });
  return it == offers->end() ? nullptr : &*it;
}

EphemeralDisk ephemeral_disk(const InstanceType& type) {
  if (!type.ephemeral_os_disk) return {};
  const auto gigabytes = [](int64_t bytes) { return bytes / 1000000000; };
  constexpr int64_t kMebibyte = 1 << 20;
  if (type.nvme_placement && type.nvme_disk_mib > 0) return {gigabytes(type.nvme_disk_mib * kMebibyte), "NvmeDisk"};
  if (type.cache_disk_bytes > 0) return {gigabytes(type.cache_disk_bytes), "CacheDisk"};
  if (type.resource_disk_mib > 0) return {gigabytes(type.resource_disk_mib * kMebibyte), "ResourceDisk"};
  return {};
}

SizeName split_size_name(std::string_view name) {
  SizeName parts;
  const size_t underscore = name.find('_');
  std::string_view rest = underscore == name.npos ? name : name.substr(underscore + 1);
  std::string_view suffix;
  for (size_t at = rest.find('_'); at != rest.npos; at = rest.find('_', at + 1)) {
    const std::string_view tail = rest.substr(at + 1);
    if (tail.size() >= 2 && (tail[0] == 'v' || tail[0] == 'V') &&
        tail.substr(1).find_first_not_of("0123456789") == tail.npos) {
      parts.version = tail.substr(1);
      suffix = rest.substr(at);
    }
  }
  const std::string_view head = rest.substr(0, std::min(rest.find('_'), rest.size()));
  size_t letters = 0;
  while (letters < head.size() && is_letter(head[letters])) ++letters;
  parts.family = head.substr(0, letters);
  size_t digits = letters;
  while (digits < head.size() && !is_letter(head[digits])) ++digits;
  parts.series = parts.family + std::string(head.substr(digits)) + std::string(suffix);
  return parts;
}

std::map<std::string, std::string> instance_type_labels(const InstanceType& type) {
  const SizeName size = split_size_name(type.name);
  const std::string memory = fmt::format("{}", static_cast<int64_t>(type.memory_gib * 1024));
  const std::string cpus = std::to_string(type.cpus);
  std::map<std::string, std::string> labels = {
      {"node.kubernetes.io/instance-type", type.name},
      {"kubernetes.io/arch", type.arch},
      {"kubernetes.io/os", "linux"},
      {"karpenter.azure.com/sku-name", type.name},
      {"karpenter.azure.com/sku-family", size.family},
      {"karpenter.azure.com/sku-series", size.series},
      {"karpenter.azure.com/sku-version", size.version},
      {"karpenter.azure.com/sku-cpu", cpus},
      {"karpenter.azure.com/sku-memory", memory},
      {"karpenter.azure.com/sku-networking-accelerated", type.accelerated_networking ? "true" : "false"},
      {"karpenter.azure.com/sku-storage-premium-capable", type.premium_storage ? "true" : "false"},
      {"karpenter.azure.com/sku-storage-ephemeralos-maxsize", std::to_string(ephemeral_disk(type).size_gb)},
      {"kubernetes.azure.com/sku-cpu", cpus},
      {"kubernetes.azure.com/sku-memory", memory},
  };
  if (type.generation1 != type.generation2)
    labels["karpenter.azure.com/sku-hyperv-generation"] = type.generation2 ? "2" : "1";
  if (type.gpus > 0) {
    labels["karpenter.azure.com/sku-gpu-count"] = std::to_string(type.gpus);
    if (!type.gpu_manufacturer.empty()) labels["karpenter.azure.com/sku-gpu-manufacturer"] = type.gpu_manufacturer;
    if (!type.gpu_name.empty()) labels["karpenter.azure.com/sku-gpu-name"] = type.gpu_name;
  }
  return labels;
}

InstanceType with_labels(InstanceType type) {
  type.labels = instance_type_labels(type);
  return type;
}

std::string why_excluded(const InstanceType& type) {
  constexpr std::string_view kRestricted[] = {"standard_a0",   "standard_a1", "standard_a1_v2", "standard_b1s",
                                              "standard_b1ms", "standard_f1", "standard_f1s",   "basic_a0",
                                              "basic_a1",      "basic_a2",    "basic_a3",       "basic_a4"};
  const std::string lower = lowered(type.name);
  if (type.cpus < 2) return "has fewer than 2 vCPUs";
  if (type.memory_gib < 3.5) return "has less than 3.5 GiB of memory";
  if (std::find(std::begin(kRestricted), std::end(kRestricted), lower) != std::end(kRestricted))
    return "is a size that AKS does not support";
  if (type.gpus > 0 && !find_gpu_size(type.name)) return "has a GPU that is not supported";
  if (type.constrained_cores) return "is a constrained-core size";
  if (type.confidential) return "is a confidential computing size";
  return "";
}

Result<std::vector<InstanceType>> read_instance_types(const Document& doc) {
  const json* list = &doc.value;
  for (const char* name : {"value", "items", "instanceTypes"})
    if (doc.value.is_object() && doc.value.contains(name) && doc.value[name].is_array()) list = &doc.value[name];
  std::vector<InstanceType> types;
  const auto add = [&](const json& item) -> Result<void> {
    auto type = read_one(item);
    if (!type) return std::move(type).error().in(doc.file.empty() ? "instance type" : doc.file);
    types.push_back(*std::move(type));
    return {};
  };
  if (!list->is_array()) {
    if (auto added = add(*list); !added) return added.error();
    return types;
  }
  size_t others = 0;
  for (const json& item : *list) {
    const std::string resource = item.is_object() ? text_of(item, "resourceType") : "";
    if (!resource.empty() && !equal_ignoring_case(resource, "virtualMachines"))
      ++others;
    else if (auto added = add(item); !added)
      return added.error();
  }
  if (types.empty() && others > 0)
    return Error(fmt::format("{}: contains no VM size, only {} SKUs of other resources",
                             doc.file.empty() ? "instance types" : doc.file, others));
  return types;
}

}  // namespace sunup::fleet
