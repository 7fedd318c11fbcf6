// kubelet's settings, one row each: the flag, the values that it accepts, the versions that have it, the field of
// kubelet's config file, the default on nodes of AKS, and the fields of NodePools and NodeClasses that set it.
//
// The table contains all flags of the Kubernetes versions that nodes still run.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace sunup::contract {

// The values that a flag accepts.
enum class Takes {
  kText,
  kBool,
  kInteger,
  kDuration,
  kQuantity,
  kOneOf,
  kListOf,
  kAddress,
  kAddresses,
  kThresholds,    // memory.available<750Mi,nodefs.available<10%
  kReclaim,       // memory.available=500Mi
  kGracePeriods,  // memory.available=1m30s
  kReserved,      // cpu=100m,memory=1638Mi
  kCpus,          // 0-1,8
  kOptions,       // full-pcpus-only=true
  kHeaders,       // a:b,c:d
  kModules,       // kubelet=4,volume*=2
  kMemory,        // 0:memory=1Gi,hugepages-2Mi=1Gi;1:memory=1Gi
};

// The minor versions of Kubernetes 1.x whose kubelet has the flag. Empty: from the first or to the last known version.
struct KubeletFlagLife {
  std::optional<uint64_t> since = {};
  std::optional<uint64_t> gone = {};  // the first version that no longer has it
};

struct KubeletRow {
  static constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

  std::string_view flag;
  Takes takes = Takes::kText;
  std::string_view choices = {};  // "none|static"
  int64_t min = 0;
  int64_t max = kMost;
  KubeletFlagLife life = {};
  std::string_view file_field = {};  // "authentication.webhook.enabled"; empty: the contract's config file has none
  std::string_view between = "=";    // of a map in the config file: between key and value in the flag
  std::string_view aks_default = {};
  std::string_view pool_field = {};   // of a NodePool v1beta1 or Provisioner: "kubelet.maxPods"
  std::string_view class_field = {};  // of a node class: "spec.kubelet.cpuCFSQuota"

  bool exists_in(uint64_t minor) const {
    return (!life.since || *life.since <= minor) && (!life.gone || minor < *life.gone);
  }

  // How the table is written.
  constexpr KubeletRow since(uint64_t minor) const {
    KubeletRow row = *this;
    row.life.since = minor;
    return row;
  }
  constexpr KubeletRow gone(uint64_t minor) const {
    KubeletRow row = *this;
    row.life.gone = minor;
    return row;
  }
  constexpr KubeletRow file(std::string_view field, std::string_view separator = "=") const {
    KubeletRow row = *this;
    row.file_field = field;
    row.between = separator;
    return row;
  }
  constexpr KubeletRow aks(std::string_view value) const { return with(&KubeletRow::aks_default, value); }
  constexpr KubeletRow pool(std::string_view field) const { return with(&KubeletRow::pool_field, field); }
  constexpr KubeletRow node_class(std::string_view field) const { return with(&KubeletRow::class_field, field); }

 private:
  constexpr KubeletRow with(std::string_view KubeletRow::* member, std::string_view value) const {
    KubeletRow row = *this;
    row.*member = value;
    return row;
  }
};

// Sorted by flag.
std::span<const KubeletRow> kubelet_settings();
const KubeletRow* find_kubelet_row(std::string_view flag);  // null: there is no such flag

}  // namespace sunup::contract
