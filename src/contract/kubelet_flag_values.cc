#include "contract/kubelet_flag_values.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/text.h"
#include "contract/formats.h"
#include "contract/nearest.h"

namespace sunup::contract {
namespace {

bool is_one_of(std::string_view choices, std::string_view value) {
  const auto all = split(choices, '|');
  return std::ranges::find(all, value) != all.end();
}

constexpr std::string_view kSignals =
    "memory.available|nodefs.available|nodefs.inodesFree|imagefs.available|imagefs.inodesFree|containerfs.available|"
    "containerfs.inodesFree|allocatableMemory.available|pid.available";

bool is_amount(std::string_view text) {
  return is_quantity(text) && !text.starts_with('-');
}

// The number before the '%'; empty if there is no '%' or no plain number.
std::optional<double> as_percent(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  const std::string digits(text.substr(0, text.size() - 1));
  if (digits.empty() || digits.find_first_not_of("0123456789.") != digits.npos) return std::nullopt;
  char* end = nullptr;
  const double percent = std::strtod(digits.c_str(), &end);
  return *end == '\0' ? std::optional(percent) : std::nullopt;
}

// The minimum that kubelet frees. Unlike a threshold, an amount may be zero and a percentage may exceed 100.
bool is_reclaim(std::string_view text) {
  const auto percent = as_percent(text);
  return percent ? *percent > 0 : is_amount(text);
}

// "0-3,5"
bool is_cpu_list(std::string_view text) {
  return std::ranges::all_of(split(text, ','), [](std::string_view range) {
    const size_t dash = range.find('-');
    const auto first = as_number<int64_t>(range.substr(0, dash));
    const auto last = dash == range.npos ? first : as_number<int64_t>(range.substr(dash + 1));
    return first && last && *first >= 0 && *first <= *last;
  });
}

// "name<value,name<value": every name must be known, and every value must have the required form.
bool all_pairs(std::string_view text, char between, std::string_view names, bool (*fits)(std::string_view)) {
  for (const std::string_view pair : split_entries(text)) {
    const size_t at = pair.find(between);
    if (at == pair.npos || !is_one_of(names, pair.substr(0, at)) || !fits(pair.substr(at + 1))) return false;
  }
  return true;
}

bool all_have(std::string_view text, char between) {
  return std::ranges::all_of(split_entries(text), [&](auto entry) { return entry.find(between) != entry.npos; });
}

bool is_module_list(std::string_view text) {
  return std::ranges::all_of(split_entries(text), [](std::string_view entry) {
    const auto parts = split(entry, '=');
    const auto level = parts.size() == 2 && !parts[0].empty() ? as_number<int64_t>(parts[1]) : std::nullopt;
    return level && *level >= 0;
  });
}

bool is_memory_of_nodes(std::string_view text) {
  return std::ranges::all_of(split(text, ';'), [](std::string_view reservation) {
    const auto parts = split(reservation, ':');
    if (parts.size() != 2 || !as_number<int64_t>(parts[0])) return false;
    return std::ranges::all_of(split(parts[1], ','), [](std::string_view limit) {
      const auto pair = split(limit, '=');
      return pair.size() == 2 && (pair[0] == "memory" || pair[0].starts_with("hugepages-")) && is_quantity(pair[1]);
    });
  });
}

bool fits(const KubeletRow& flag, std::string_view value) {
  switch (flag.takes) {
    case Takes::kText:
      return true;
    case Takes::kBool:
      return as_go_bool(value).has_value();
    case Takes::kInteger: {
      const auto integer = as_number<int64_t>(value);
      return integer && *integer >= flag.min && *integer <= flag.max;
    }
    case Takes::kDuration:
      return is_go_duration(value);
    case Takes::kQuantity:
      return is_quantity(value);
    case Takes::kOneOf:
      return is_one_of(flag.choices, value);
    case Takes::kListOf:
      return std::ranges::all_of(split(value, ','), [&](auto item) { return is_one_of(flag.choices, item); });
    case Takes::kAddress:
      return is_ip(value);
    case Takes::kAddresses:
      return std::ranges::all_of(split(value, ','), is_ip);
    case Takes::kThresholds:
      return all_pairs(value, '<', kSignals, is_eviction_threshold);
    case Takes::kReclaim:
      return all_pairs(value, '=', kSignals, is_reclaim);
    case Takes::kGracePeriods:
      return all_pairs(value, '=', kSignals, is_go_duration);
    case Takes::kReserved:
      return all_pairs(value, '=', "cpu|memory|ephemeral-storage|pid", is_amount);
    case Takes::kCpus:
      return is_cpu_list(value);
    case Takes::kOptions:
      return !value.empty() && all_have(value, '=');
    case Takes::kHeaders:
      return all_have(value, ':');
    case Takes::kModules:
      return is_module_list(value);
    case Takes::kMemory:
      return is_memory_of_nodes(value);
  }
  return true;
}

// Kubelet accepts an empty list; for all other types an empty value is invalid.
bool may_be_empty(const KubeletRow& flag) {
  switch (flag.takes) {
    case Takes::kText:
    case Takes::kListOf:
    case Takes::kAddresses:
    case Takes::kThresholds:
    case Takes::kReclaim:
    case Takes::kGracePeriods:
    case Takes::kReserved:
    case Takes::kCpus:
    case Takes::kHeaders:
    case Takes::kModules:
    case Takes::kMemory:
      return true;
    case Takes::kOptions:
      return flag.flag != "--cpu-manager-policy-options";
    default:
      return flag.flag == "--container-log-max-size" || flag.flag == "--tls-min-version";
  }
}

std::string choices_text(std::string_view choices) {
  std::string text;
  for (const std::string_view one : split(choices, '|')) text += (text.empty() ? "" : ", ") + std::string(one);
  return text;
}

std::string range_text(const KubeletRow& flag) {
  const std::string from = "a whole number from " + std::to_string(flag.min);
  return flag.max >= KubeletRow::kMost ? from + " up" : from + " to " + std::to_string(flag.max);
}

std::string takes_text(const KubeletRow& flag) {
  switch (flag.takes) {
    case Takes::kText:
      return "any text";
    case Takes::kBool:
      return "true or false";
    case Takes::kInteger:
      return range_text(flag);
    case Takes::kDuration:
      return "a duration such as 10s or 1m30s";
    case Takes::kQuantity:
      return "a quantity such as 50Mi";
    case Takes::kOneOf:
      return "one of " + choices_text(flag.choices);
    case Takes::kListOf:
      return "any of " + choices_text(flag.choices) + ", with commas between";
    case Takes::kAddress:
      return "an IP address";
    case Takes::kAddresses:
      return "IP addresses with commas between";
    case Takes::kThresholds:
      return "signals with their thresholds, such as memory.available<750Mi,nodefs.available<10%";
    case Takes::kReclaim:
      return "signals with amounts, such as memory.available=500Mi";
    case Takes::kGracePeriods:
      return "signals with durations, such as memory.available=1m30s";
    case Takes::kReserved:
      return "amounts of cpu, memory, ephemeral-storage and pid, such as cpu=100m,memory=1638Mi";
    case Takes::kCpus:
      return "numbers of processors, such as 0-1,8";
    case Takes::kOptions:
      return "names with values, such as full-pcpus-only=true";
    case Takes::kHeaders:
      return "names with values, such as a:b,c:d";
    case Takes::kModules:
      return "patterns with levels, such as kubelet=4";
    case Takes::kMemory:
      return "NUMA nodes with amounts, such as 0:memory=1Gi;1:memory=1Gi";
  }
  return "";
}

}  // namespace

bool is_eviction_signal(std::string_view text) {
  return is_one_of(kSignals, text);
}

bool is_eviction_threshold(std::string_view text) {
  const auto percent = as_percent(text);
  return percent ? *percent <= 100 : is_positive_quantity(text);
}

std::optional<bool> as_go_bool(std::string_view text) {
  if (is_one_of("true|1|t|T|TRUE|True", text)) return true;
  if (is_one_of("false|0|f|F|FALSE|False", text)) return false;
  return std::nullopt;
}

bool is_kubelet_flag(std::string_view flag) {
  return find_kubelet_row(flag) != nullptr;
}

KubeletFlagLife kubelet_flag_life(std::string_view flag) {
  const KubeletRow* known = find_kubelet_row(flag);
  return known == nullptr ? KubeletFlagLife() : known->life;
}

std::vector<std::string_view> kubelet_flags() {
  std::vector<std::string_view> names;
  for (const KubeletRow& known : kubelet_settings()) names.push_back(known.flag);
  return names;
}

std::optional<std::string> nearest_kubelet_flag(std::string_view flag) {
  return nearest(flag, kubelet_flags());
}

std::optional<std::string> kubelet_flag_takes(std::string_view flag, std::string_view value) {
  const KubeletRow* known = find_kubelet_row(flag);
  if (known == nullptr || (value.empty() && may_be_empty(*known)) || fits(*known, value)) return std::nullopt;
  return takes_text(*known);
}

}  // namespace sunup::contract
