#include "base/duration.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/text.h"

namespace sunup {
namespace {

struct Unit {
  std::string_view name;
  uint64_t nanoseconds;
};
constexpr Unit kUnits[] = {
    {"ns", 1},         {"us", 1'000},        {"\u00b5s", 1'000},    {"\u03bcs", 1'000},
    {"ms", 1'000'000}, {"s", 1'000'000'000}, {"m", 60'000'000'000}, {"h", 3'600'000'000'000},
};

constexpr uint64_t kMost = uint64_t{1} << 63;  // one more than the largest positive value

// Adds a digit; false if the number becomes too large.
bool add_digit(uint64_t& number, char digit) {
  if (number > (kMost - 1) / 10) return false;
  number = number * 10 + static_cast<uint64_t>(digit - '0');
  return number <= kMost;
}

// Removes one number with its unit from the front of `text`.
std::optional<uint64_t> take_part(std::string_view& text) {
  uint64_t whole = 0;
  size_t digits = 0;
  for (; !text.empty() && is_digit(text[0]); text.remove_prefix(1), ++digits)
    if (!add_digit(whole, text[0])) return std::nullopt;
  uint64_t fraction = 0;
  double scale = 1;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    // Digits that no longer fit are too small to matter.
    for (bool fits = true; !text.empty() && is_digit(text[0]); text.remove_prefix(1), ++digits) {
      uint64_t more = fraction;
      fits = fits && add_digit(more, text[0]);
      if (!fits) continue;
      fraction = more;
      scale *= 10;
    }
  }
  if (digits == 0) return std::nullopt;
  const std::string_view name = text.substr(0, text.find_first_of("0123456789."));
  text.remove_prefix(name.size());
  for (const Unit& unit : kUnits) {
    if (unit.name != name) continue;
    if (whole > kMost / unit.nanoseconds) return std::nullopt;
    return whole * unit.nanoseconds +
           static_cast<uint64_t>(static_cast<double>(fraction) * (static_cast<double>(unit.nanoseconds) / scale));
  }
  return std::nullopt;
}

// The number with its last `places` digits after a decimal point, without trailing zeros.
std::string decimal(uint64_t number, size_t places) {
  std::string digits = fmt::format("{:0{}}", number, places + 1);
  digits.insert(digits.size() - places, ".");
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.')) digits.pop_back();
  return digits;
}

}  // namespace

std::optional<std::chrono::nanoseconds> parse_go_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  if (text == "0") return std::chrono::nanoseconds(0);
  uint64_t total = 0;
  while (!text.empty()) {
    const auto part = take_part(text);
    if (!part || *part > kMost - total) return std::nullopt;
    total += *part;
  }
  if (!negative && total == kMost) return std::nullopt;
  return std::chrono::nanoseconds(static_cast<int64_t>(negative ? 0 - total : total));
}

std::string format_go_duration(std::chrono::nanoseconds duration) {
  const auto count = static_cast<uint64_t>(duration.count());
  const bool negative = duration.count() < 0;
  const uint64_t nanoseconds = negative ? 0 - count : count;
  std::string text = negative ? "-" : "";
  if (nanoseconds == 0) return "0s";
  if (nanoseconds < 1'000) return text + fmt::format("{}ns", nanoseconds);
  if (nanoseconds < 1'000'000) return text + decimal(nanoseconds, 3) + "µs";
  if (nanoseconds < 1'000'000'000) return text + decimal(nanoseconds, 6) + "ms";
  const uint64_t minutes = nanoseconds / 60'000'000'000;
  if (minutes >= 60) text += fmt::format("{}h", minutes / 60);
  if (minutes > 0) text += fmt::format("{}m", minutes % 60);
  return text + decimal(nanoseconds % 60'000'000'000, 9) + "s";
}

std::optional<std::chrono::nanoseconds> parse_flag_duration(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) return std::nullopt;
  const bool bare = text.find_first_not_of("0123456789.") == std::string_view::npos;
  const auto duration = bare ? parse_go_duration(std::string(text) + "s") : parse_go_duration(text);
  constexpr std::chrono::hours kLongest(290 * 365 * 24);
  return duration && *duration <= kLongest ? duration : std::nullopt;
}

}  // namespace sunup
