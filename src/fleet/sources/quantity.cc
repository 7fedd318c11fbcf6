#include "fleet/sources/quantity.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace sunup::fleet {
namespace {

constexpr std::pair<std::string_view, long double> kSuffixes[] = {
    {"", 1e3L},
    {"m", 1},
    {"k", 1e6L},
    {"K", 1e6L},
    {"M", 1e9L},
    {"G", 1e12L},
    {"T", 1e15L},
    {"P", 1e18L},
    {"E", 1e21L},
    {"Ki", 1000 * 0x1p10L},
    {"Mi", 1000 * 0x1p20L},
    {"Gi", 1000 * 0x1p30L},
    {"Ti", 1000 * 0x1p40L},
    {"Pi", 1000 * 0x1p50L},
    {"Ei", 1000 * 0x1p60L},
};

}  // namespace

std::optional<Quantity> parse_quantity(std::string_view text) {
  const char* end = text.data() + text.size();
  double number = 0;
  const bool plus = text.starts_with('+');
  const auto [at, err] = std::from_chars(text.data() + (plus ? 1 : 0), end, number, std::chars_format::fixed);
  if (err != std::errc{} || !std::isfinite(number)) return std::nullopt;
  const std::string_view suffix(at, static_cast<size_t>(end - at));
  for (const auto& [name, factor] : kSuffixes) {
    if (name != suffix) continue;
    const long double milli = std::ceil(static_cast<long double>(number) * factor);
    constexpr auto kMax = std::numeric_limits<int64_t>::max();
    if (milli >= static_cast<long double>(kMax)) return Quantity{kMax};
    if (milli <= -static_cast<long double>(kMax)) return Quantity{-kMax};
    return Quantity{static_cast<int64_t>(milli)};
  }
  return std::nullopt;
}

std::string format_mebibytes(int64_t mebibytes) {
  constexpr const char* kUnits[] = {"Mi", "Gi", "Ti", "Pi"};
  if (mebibytes == 0) return "0";
  size_t unit = 0;
  while (unit + 1 < std::size(kUnits) && mebibytes % 1024 == 0) {
    mebibytes /= 1024;
    ++unit;
  }
  return fmt::format("{}{}", mebibytes, kUnits[unit]);
}

std::string format_millicores(int64_t millicores) {
  return millicores % 1000 == 0 ? fmt::format("{}", millicores / 1000) : fmt::format("{}m", millicores);
}

}  // namespace sunup::fleet
