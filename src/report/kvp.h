// The key-value pool that the hypervisor reads from a guest (/var/lib/hyperv/.kvp_pool_1): records of fixed size, a key
// of 512 and a value of 2048 bytes, each padded with zeros. cloud-init and azure-init report the same way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sunup::report {

inline constexpr char kKvpPool[] = "/var/lib/hyperv/.kvp_pool_1";
inline constexpr size_t kKvpKey = 512;
inline constexpr size_t kKvpValue = 2048;
// Azure hands on no more than this of a value.
inline constexpr size_t kKvpValueShown = 1023;

// One record. Key and value are cut at their limits, never inside a code point.
std::string kvp_record(std::string_view key, std::string_view value);

struct KvpPair {
  std::string key;
  std::string value;
};
// What a pool holds; half a record at its end is left out.
std::vector<KvpPair> kvp_pairs(std::string_view pool);

}  // namespace sunup::report
