#include "fleet/sources/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/text.h"

namespace sunup::fleet {
namespace {

// In thousandths. Only integers are used: "1.1" has no exact double, and rounding must not affect a quantity. (Also,
// long double has different sizes on arm64 and amd64.)
using Wide = unsigned __int128;

constexpr Wide power(unsigned base, int exponent) {
  Wide out = 1;
  for (int i = 0; i < exponent; ++i) out *= base;
  return out;
}

constexpr std::pair<std::string_view, Wide> kSuffixes[] = {
    {"", power(10, 3)},          {"m", 1},
    {"k", power(10, 6)},         {"K", power(10, 6)},
    {"M", power(10, 9)},         {"G", power(10, 12)},
    {"T", power(10, 15)},        {"P", power(10, 18)},
    {"E", power(10, 21)},        {"Ki", 1000 * power(2, 10)},
    {"Mi", 1000 * power(2, 20)}, {"Gi", 1000 * power(2, 30)},
    {"Ti", 1000 * power(2, 40)}, {"Pi", 1000 * power(2, 50)},
    {"Ei", 1000 * power(2, 60)},
};

constexpr auto kMax = std::numeric_limits<int64_t>::max();

// Removes and returns the leading digits of `text`.
std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const std::string_view digits = text.substr(0, static_cast<size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

Wide saturated(std::string_view digits) {
  Wide value = 0;
  for (const char digit : digits) value = std::min<Wide>(value * 10 + static_cast<unsigned>(digit - '0'), kMax);
  return value;
}

}  // namespace

std::optional<Quantity> parse_quantity(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::string_view whole = take_digits(text);
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take_digits(text);
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;
  const auto* row = std::find_if(std::begin(kSuffixes), std::end(kSuffixes), [&](auto& s) { return s.first == text; });
  if (row == std::end(kSuffixes)) return std::nullopt;
  const Wide factor = row->second;

  constexpr size_t kDigits = 17;  // times the largest factor they fit; further digits only affect the remainder
  const std::string_view counted = fraction.substr(0, kDigits);
  const bool more = fraction.find_first_not_of('0', counted.size()) != std::string_view::npos;
  const Wide scale = power(10, static_cast<int>(counted.size()));
  const Wide parts = saturated(counted) * factor;
  const bool rest = parts % scale != 0 || more;
  // Rounded up; towards zero if negative.
  const Wide below_one = parts / scale + (rest && !negative ? 1 : 0);
  const Wide units = saturated(whole);
  const Wide milli = units > kMax / factor ? Wide{kMax} : std::min<Wide>(units * factor + below_one, kMax);
  const auto value = static_cast<int64_t>(milli);
  return Quantity{negative ? -value : value};
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
