#include "contract/json_number.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

namespace sunup::contract {
namespace {

// Exponents are clamped to this value: no text has enough digits to compensate for a larger one.
constexpr int64_t kExponentLimit = 1'000'000'000;

int64_t exponent_of(std::string_view digits) {
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  int64_t value = 0;
  for (const char c : digits) value = std::min(kExponentLimit, value * 10 + (c - '0'));
  return negative ? -value : value;
}

}  // namespace

std::optional<int32_t> to_int32(std::string_view number) {
  int32_t plain = 0;
  if (const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), plain);
      error == std::errc() && end == number.data() + number.size())
    return plain;

  // The number is split into its digits and a power of ten (`scale`).
  const bool negative = number.starts_with('-');
  if (negative) number.remove_prefix(1);
  int64_t scale = 0;
  if (const size_t e = number.find_first_of("eE"); e != std::string_view::npos) {
    scale = exponent_of(number.substr(e + 1));
    number = number.substr(0, e);
  }
  std::string digits(number);
  if (const size_t dot = digits.find('.'); dot != std::string::npos) {
    scale -= static_cast<int64_t>(digits.size() - dot - 1);
    digits.erase(dot, 1);
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return 0;
  const size_t significant = digits.find_last_not_of('0') + 1;
  scale += static_cast<int64_t>(digits.size() - significant);
  digits.resize(significant);

  constexpr int64_t kMostDigits = 10;
  if (scale < 0 || scale > kMostDigits || static_cast<int64_t>(digits.size()) + scale > kMostDigits)
    return std::nullopt;
  int64_t value = std::stoll(digits);
  for (; scale > 0; --scale) value *= 10;
  if (negative) value = -value;
  if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) return std::nullopt;
  return static_cast<int32_t>(value);
}

std::optional<double> to_double(std::string_view number) {
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error == std::errc()) return value;
  // from_chars reports both overflow and underflow as out of range; strtod distinguishes them.
  value = std::strtod(std::string(number).c_str(), nullptr);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace sunup::contract
