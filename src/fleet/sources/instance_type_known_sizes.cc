// The common sizes, so that a first try needs no SKU list. All sizes of a series have the same memory per vCPU.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "fleet/sources/gpu.h"
#include "fleet/sources/instance_type.h"
#include "fleet/sources/patterns.h"

namespace sunup::fleet {
namespace {

struct Series {
  std::string_view prefix;  // before the vCPU count, lower case, without "standard_"
  std::string_view suffix;  // after it
  std::string_view counts;  // the existing vCPU counts, separated by commas
  double gib_per_cpu;
  bool arm64 = false;
};

constexpr std::string_view kUpTo96 = ",2,4,8,16,32,48,64,96,";
constexpr Series kSeries[] = {
    {"d", "s_v3", ",2,4,8,16,32,48,64,", 4},
    {"d", "s_v4", ",2,4,8,16,32,48,64,", 4},
    {"d", "s_v5", kUpTo96, 4},
    {"d", "ds_v5", kUpTo96, 4},
    {"d", "as_v5", kUpTo96, 4},
    {"d", "ads_v5", kUpTo96, 4},
    {"d", "s_v6", ",2,4,8,16,32,48,64,96,128,192,", 4},
    {"d", "ds_v6", ",2,4,8,16,32,48,64,96,128,192,", 4},
    {"d", "as_v6", kUpTo96, 4},
    {"d", "ads_v6", kUpTo96, 4},
    {"d", "ls_v5", kUpTo96, 2},
    {"d", "lds_v5", kUpTo96, 2},
    {"d", "ps_v5", ",2,4,8,16,32,48,64,", 4, true},
    {"d", "pds_v5", ",2,4,8,16,32,48,64,", 4, true},
    {"d", "ps_v6", kUpTo96, 4, true},
    {"d", "pds_v6", kUpTo96, 4, true},
    {"e", "s_v5", ",2,4,8,16,20,32,48,64,", 8},
    {"e", "ds_v5", ",2,4,8,16,20,32,48,64,", 8},
    {"e", "as_v5", ",2,4,8,16,20,32,48,64,", 8},
    {"e", "ads_v5", ",2,4,8,16,20,32,48,64,", 8},
    {"e", "ps_v5", ",2,4,8,16,20,", 8, true},
    {"f", "s_v2", ",2,4,8,16,32,48,64,72,", 2},
    {"b", "ms", ",2,4,8,12,16,20,", 4},
    {"b", "s_v2", ",2,4,8,16,32,", 4},
};

struct GpuExtra {
  std::string_view name;  // in Azure's spelling
  int cpus;
  double memory_gib;
  int gpus;
  std::string_view gpu;
};
constexpr GpuExtra kGpuSizes[] = {
    {"Standard_NC4as_T4_v3", 4, 28, 1, "t4"},
    {"Standard_NC8as_T4_v3", 8, 56, 1, "t4"},
    {"Standard_NC16as_T4_v3", 16, 110, 1, "t4"},
    {"Standard_NC64as_T4_v3", 64, 440, 4, "t4"},
    {"Standard_NC24ads_A100_v4", 24, 220, 1, "a100"},
    {"Standard_NC48ads_A100_v4", 48, 440, 2, "a100"},
    {"Standard_NC96ads_A100_v4", 96, 880, 4, "a100"},
    {"Standard_NV36ads_A10_v5", 36, 440, 1, "a10"},
    {"Standard_NC6", 6, 56, 1, "k80"},
};

std::string spelled(std::string_view lower) {
  std::string name(lower);
  if (name.starts_with("standard_")) name[0] = 'S';
  for (size_t at = 9; at < name.size() && is_lower(name[at]); ++at) name[at] = to_upper(name[at]);
  return name;
}

}  // namespace

std::optional<InstanceType> known_instance_type(std::string_view name) {
  const std::string lower = lowered(name);
  if (!lower.starts_with("standard_")) return std::nullopt;
  InstanceType type;
  type.name = spelled(lower);
  type.accelerated_networking = true;
  type.premium_storage = true;
  type.encryption_at_host = true;
  for (const GpuExtra& gpu : kGpuSizes) {
    if (!equal_ignoring_case(gpu.name, lower)) continue;
    type.name = gpu.name;
    type.cpus = gpu.cpus;
    type.memory_gib = gpu.memory_gib;
    type.gpus = gpu.gpus;
    type.gpu_name = gpu.gpu;
    type.gpu_manufacturer = "nvidia";
    return type;
  }
  const std::string_view rest = std::string_view(lower).substr(9);
  for (const Series& series : kSeries) {
    if (!rest.starts_with(series.prefix) || !rest.ends_with(series.suffix) ||
        rest.size() <= series.prefix.size() + series.suffix.size())
      continue;
    const std::string_view count =
        rest.substr(series.prefix.size(), rest.size() - series.prefix.size() - series.suffix.size());
    if (count.find_first_not_of("0123456789") != count.npos ||
        series.counts.find(fmt::format(",{},", count)) == series.counts.npos)
      continue;
    type.cpus = as_number<int>(count).value_or(0);
    type.memory_gib = type.cpus * series.gib_per_cpu;
    type.arch = series.arm64 ? "arm64" : "amd64";
    type.generation1 = !series.arm64 && !series.suffix.ends_with("_v6");
    return type;
  }
  return std::nullopt;
}

const std::vector<std::string>& known_size_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<InstanceType> types;
    for (const Series& series : kSeries) {
      for (std::string_view counts = series.counts.substr(1); !counts.empty();) {
        const std::string_view count = counts.substr(0, counts.find(','));
        types.push_back(*known_instance_type(fmt::format("standard_{}{}{}", series.prefix, count, series.suffix)));
        counts.remove_prefix(count.size() + 1);
      }
    }
    for (const GpuExtra& gpu : kGpuSizes) types.push_back(*known_instance_type(gpu.name));
    // GPUs and other architectures must be requested explicitly.
    const auto rank = [](const InstanceType& type) {
      return std::tuple(type.gpus > 0, type.cpus, type.memory_gib, type.arch);
    };
    std::ranges::stable_sort(types, {}, rank);
    std::vector<std::string> names;
    for (const InstanceType& type : types) names.push_back(type.name);
    return names;
  }();
  return kNames;
}

}  // namespace sunup::fleet
