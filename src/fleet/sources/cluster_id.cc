#include "fleet/sources/cluster_id.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fnv.h"
#include "base/text.h"
#include "base/url.h"
#include "contract/formats.h"

namespace sunup::fleet {
namespace {

// The first value of Go's classic math/rand, for one seed. Its additive lagged Fibonacci generator has 607 words, but
// the first output is the sum of just two of them, so only those two are computed.
constexpr uint64_t kModulus = 2147483647;  // 2^31 - 1, of the Lehmer generator that fills the state
constexpr uint64_t kMultiplier = 48271;

constexpr uint64_t power(uint64_t base, unsigned exponent) {
  uint64_t result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = result * base % kModulus;
    base = base * base % kModulus;
  }
  return result;
}

uint64_t state_word(uint64_t seed, unsigned index, uint64_t cooked) {
  const auto lehmer = [seed](unsigned n) { return seed * power(kMultiplier, n) % kModulus; };
  const unsigned first = 20 + 3 * index;
  return (lehmer(first + 1) << 40) ^ (lehmer(first + 2) << 20) ^ lehmer(first + 3) ^ cooked;
}

uint32_t first_random_uint32(int64_t seed) {
  int64_t reduced = seed % static_cast<int64_t>(kModulus);
  if (reduced < 0) reduced += kModulus;
  if (reduced == 0) reduced = 89482311;
  const auto start = static_cast<uint64_t>(reduced);
  const uint64_t sum = state_word(start, 333, 0xbfb2f4d968b759c3) + state_word(start, 606, 0x39a00a3a31c025c6);
  return static_cast<uint32_t>((sum & 0x7fffffffffffffff) >> 31);
}

}  // namespace

std::string cluster_id(std::string_view dns_prefix) {
  const uint32_t number = first_random_uint32(static_cast<int64_t>(fnv1a_64(dns_prefix)));
  return fmt::format("{:08}", number).substr(0, 8);  // longer numbers are truncated, not reduced
}

std::string cluster_id_of_host(std::string_view host) {
  return cluster_id(host.substr(0, 33));
}

Result<std::string> cluster_id_of(std::string_view name_or_url) {
  const std::string host = host_of(name_or_url);
  if (!contract::is_host_name(host) && !contract::is_ip(host))
    return Error(fmt::format("'{}' is neither a host name nor a URL with one", name_or_url))
        .with_hint("give the API server's name, such as my-aks-1a2b3c4d.hcp.eastus.azmk8s.io");
  return cluster_id_of_host(host);
}

std::optional<std::string> cluster_id_from_nsg(std::string_view name) {
  constexpr std::string_view kPrefix = "aks-agentpool-";
  constexpr std::string_view kSuffix = "-nsg";
  constexpr size_t kDigits = 8;
  if (name.size() != kPrefix.size() + kDigits + kSuffix.size()) return std::nullopt;
  const std::string_view digits = name.substr(kPrefix.size(), kDigits);
  if (!equal_ignoring_case(name.substr(0, kPrefix.size()), kPrefix) ||
      !equal_ignoring_case(name.substr(name.size() - kSuffix.size()), kSuffix) ||
      !std::ranges::all_of(digits, is_digit))
    return std::nullopt;
  return std::string(digits);
}

}  // namespace sunup::fleet
