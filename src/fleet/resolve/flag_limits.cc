#include "fleet/resolve/flag_limits.h"

#include <fmt/format.h>

#include "base/text.h"
#include "contract/formats.h"

namespace sunup::fleet {
namespace {

std::string described(std::string_view flag, const Value<std::string>& value) {
  return fmt::format("{} {} from {}", flag, *value, in_words(value.origin()));
}

// Kubelet starts to remove images at the high threshold and stops at the low one, and wants the first above the second.
std::optional<Error> refuse_thresholds(const ValueMap& flags) {
  constexpr std::string_view kHigh = "--image-gc-high-threshold";
  constexpr std::string_view kLow = "--image-gc-low-threshold";
  const Value<std::string>* high = flags.value(kHigh);
  const Value<std::string>* low = flags.value(kLow);
  if (high == nullptr || low == nullptr) return std::nullopt;
  if (as_integer(**high).value_or(0) > as_integer(**low).value_or(0)) return std::nullopt;
  return Error(fmt::format("kubelet does not start with {} and {}: the first must be above the second",
                           described(kHigh, *high), described(kLow, *low)))
      .with_hint("set imageGCHighThresholdPercent and imageGCLowThresholdPercent together");
}

std::optional<Error> refuse_pods(const ValueMap& flags) {
  constexpr std::string_view kFlag = "--max-pods";
  const Value<std::string>* pods = flags.value(kFlag);
  if (pods == nullptr || as_integer(**pods).value_or(0) <= kMaxPods) return std::nullopt;
  return Error(fmt::format("{} is more than the {} pods that a node can run", described(kFlag, *pods), kMaxPods));
}

}  // namespace

std::optional<Error> refuse_impossible_flags(const ValueMap& flags) {
  if (auto error = refuse_thresholds(flags)) return error;
  return refuse_pods(flags);
}

}  // namespace sunup::fleet
