#include "fleet/resolve/node_reserve.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include "fleet/resolve/kubelet_flags.h"
#include "fleet/resolve/node_hardening.h"
#include "fleet/sources/quantity.h"

namespace sunup::fleet {
namespace {

struct Bracket {
  double up_to;
  double rate;
};
constexpr double kRest = std::numeric_limits<double>::infinity();
constexpr Bracket kMemoryGib[] = {{4, 0.25}, {8, 0.20}, {16, 0.10}, {128, 0.06}, {kRest, 0.02}};
constexpr Bracket kCpus[] = {{1, 0.06}, {2, 0.04}, {4, 0.02}, {kRest, 0.01}};

// In plain doubles, slice by slice in this order: the published values depend on the rounding of each step (120 vCPUs
// give 1299m, not 1300m). Therefore the build disables fused multiply-add.
double tax(double amount, std::span<const Bracket> brackets) {
  double total = 0;
  double from = 0;
  for (const Bracket& bracket : brackets) {
    if (amount <= from) break;
    total += (std::fmin(amount, bracket.up_to) - from) * bracket.rate;
    from = bracket.up_to;
  }
  return total;
}

using Amounts = std::map<std::string, std::string>;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kMilli = 1000;
constexpr int64_t kMebibyte = 1 << 20;

int64_t sum(int64_t a, int64_t b) {
  return a > kMost - b ? kMost : a + b;
}

int64_t product(int64_t a, int64_t b) {
  return a > kMost / b ? kMost : a * b;
}

// The amount that the pool sets, if it does.
std::optional<int64_t> amount_in(const NodePool* pool, const Amounts PoolKubelet::* amounts,
                                 std::string_view resource) {
  if (pool == nullptr || !pool->kubelet) return std::nullopt;
  const Amounts& map = (*pool->kubelet).*amounts;
  const auto it = map.find(std::string(resource));
  if (it == map.end()) return std::nullopt;
  const auto amount = parse_quantity(it->second);
  return amount ? std::optional(amount->milli) : std::nullopt;
}

// The reserved amounts of a resource by purpose, unless the pool sets them.
struct Defaults {
  int64_t kube_reserved = 0;
  int64_t system_reserved = 0;
  int64_t eviction = 0;
};

Defaults defaults_of(const ReserveInputs& in, std::string_view resource, const InstanceType& type, int64_t capacity) {
  constexpr int64_t kMib = kMebibyte * kMilli;
  const bool hardened = is_hardened(*in.settings);
  if (resource == "cpu") return {kube_reserved_millicores(type.cpus), hardened ? kHardenedSystemMillicores : 0, 0};
  if (resource == "memory" && hardened) {
    const HardenedMemory memory =
        hardened_memory(*in.settings, type.memory_gib, max_pods(*in.settings, in.pool, *in.node_class));
    return {memory.kube_reserved * kMib, memory.system_reserved * kMib, memory.evict_hard * kMib};
  }
  if (resource == "memory") return {kube_reserved_mebibytes(type.memory_gib) * kMib, 0, 750 * kMib};
  if (hardened) return {0, kHardenedSystemStorageGib * 1024 * kMib, capacity / 100 * kHardenedNodefsPercent};
  return {};
}

// The amount that hard eviction keeps free, which may be a share of the capacity.
int64_t kept_by_eviction(const NodePool* pool, std::string_view signal, int64_t by_default, int64_t capacity) {
  if (pool == nullptr || !pool->kubelet) return by_default;
  const auto it = pool->kubelet->eviction_hard.find(std::string(signal));
  if (it == pool->kubelet->eviction_hard.end()) return by_default;
  const std::string& threshold = it->second;
  if (!threshold.ends_with('%')) {
    const auto amount = parse_quantity(threshold);
    return amount ? amount->milli : by_default;
  }
  double percent = 0;
  std::from_chars(threshold.data(), threshold.data() + threshold.size() - 1, percent);
  return static_cast<int64_t>(static_cast<double>(capacity) * std::clamp(percent, 0.0, 100.0) / 100);
}

int64_t kept_of(int64_t capacity, const ReserveInputs& in, std::string_view resource, const InstanceType& type) {
  const Defaults defaults = defaults_of(in, resource, type, capacity);
  const auto reserved = [&](const Amounts PoolKubelet::* amounts, int64_t by_default) {
    return amount_in(in.pool, amounts, resource).value_or(by_default);
  };
  const int64_t kept = sum(reserved(&PoolKubelet::kube_reserved, defaults.kube_reserved),
                           reserved(&PoolKubelet::system_reserved, defaults.system_reserved));
  const std::string_view signal = resource == "memory"              ? "memory.available"
                                  : resource == "ephemeral-storage" ? "nodefs.available"
                                                                    : "";
  return signal.empty() ? kept : sum(kept, kept_by_eviction(in.pool, signal, defaults.eviction, capacity));
}

// The largest amount that kubelet may detect. node_capacity() subtracts an estimate of the hypervisor's memory, which
// is meant for the choice of sizes; whether kubelet starts must not depend on an estimate.
int64_t most_found(const ReserveInputs& in, std::string_view resource, const InstanceType& type) {
  if (resource != "memory") return node_capacity(in, resource, type);
  return product(static_cast<int64_t>(type.memory_gib * 1024) * kMebibyte, kMilli);
}

std::string shown(std::string_view resource, int64_t milli) {
  return resource == "cpu" ? format_millicores(milli) : format_mebibytes(milli / kMilli / kMebibyte);
}

}  // namespace

int64_t kube_reserved_millicores(double cpus) {
  return static_cast<int64_t>(1000 * tax(cpus, kCpus));
}

int64_t kube_reserved_mebibytes(double memory_gib) {
  return static_cast<int64_t>(1024 * tax(memory_gib, kMemoryGib));
}

std::string kube_reserved(double cpus, double memory_gib) {
  return fmt::format("cpu={},memory={}", format_millicores(kube_reserved_millicores(cpus)),
                     format_mebibytes(kube_reserved_mebibytes(memory_gib)));
}

int64_t schedulable_memory_bytes(double memory_gib, double overhead_fraction) {
  const double bytes = std::floor(memory_gib) * 1073741824.0;
  return static_cast<int64_t>(bytes) - static_cast<int64_t>(std::ceil(bytes * overhead_fraction));
}

std::string with_amounts(std::string_view text, char between, const Amounts& said) {
  Amounts amounts = said;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, std::min(text.find(','), text.size()));
    const size_t at = std::min(pair.find(between), pair.size());
    if (at < pair.size()) amounts.emplace(pair.substr(0, at), pair.substr(at + 1));
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
  }
  std::string joined;
  for (const auto& [resource, amount] : amounts)
    joined.append(joined.empty() ? "" : ",").append(resource).append(1, between).append(amount);
  return joined;
}

int64_t node_capacity(const ReserveInputs& in, std::string_view resource, const InstanceType& type) {
  if (resource == "cpu") return type.cpus * kMilli;
  if (resource == "memory")
    return product(
        std::max<int64_t>(
            schedulable_memory_bytes(type.memory_gib, in.settings->number(Option::kVmMemoryOverheadPercent)), 0),
        kMilli);
  return product(product(int64_t{in.node_class->os_disk_size_gb}, 1024 * kMebibyte), kMilli);
}

int64_t kept_from_pods(const ReserveInputs& in, std::string_view resource, const InstanceType& type) {
  return kept_of(node_capacity(in, resource, type), in, resource, type);
}

std::string why_over_reserved(const ReserveInputs& in, const InstanceType& type) {
  if (in.pool == nullptr || !in.pool->kubelet) return "";  // the defaults leave room on every size
  for (const std::string_view resource : {"cpu", "memory", "ephemeral-storage"}) {
    const int64_t has = most_found(in, resource, type);
    const int64_t kept = kept_of(has, in, resource, type);
    if (kept > has)
      return fmt::format("would reserve {} of {} (kubeReserved, systemReserved and evictionHard), but has {}",
                         shown(resource, kept), resource, shown(resource, has));
  }
  return "";
}

std::optional<Error> refuse_over_reserved(const ReserveInputs& in, const InstanceType& type) {
  const std::string why = why_over_reserved(in, type);
  if (why.empty()) return std::nullopt;
  return Error(fmt::format("{} {}; kubelet would not start", type.name, why))
      .with_hint("reserve less in the pool's kubelet settings, or use a larger size");
}

}  // namespace sunup::fleet
