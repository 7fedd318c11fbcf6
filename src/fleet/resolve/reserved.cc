#include "fleet/resolve/reserved.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <span>

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

// In plain doubles, slice by slice in this order: the published values depend on how each step rounds (120 vCPUs give
// 1299m, not 1300m), which is why the build forbids fused multiply-add.
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

}  // namespace sunup::fleet
