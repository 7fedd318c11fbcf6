#include "controller/duration.h"

#include <charconv>
#include <cmath>

namespace sunup::controller {
namespace {

std::optional<double> nanoseconds_of(std::string_view unit) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ns", 1.0}, {"us", 1e3}, {"\u00b5s", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
  for (const auto& [name, value] : kUnits)
    if (unit == name) return value;
  return std::nullopt;
}

}  // namespace

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const bool bare = text.find_first_not_of("0123456789.") == std::string_view::npos;
  double total = 0;
  while (!text.empty()) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc() || text[0] == '-' || !std::isfinite(number)) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (bare && !text.empty()) return std::nullopt;  // 1.2.3
    const size_t unit_size = std::min(text.find_first_of("0123456789."), text.size());
    const auto unit = nanoseconds_of(bare ? "s" : text.substr(0, unit_size));
    if (!unit) return std::nullopt;
    total += number * *unit;
    text.remove_prefix(unit_size);
  }
  if (total > 290.0 * 365 * 24 * 3600e9) return std::nullopt;
  return std::chrono::nanoseconds(std::llround(total));
}

}  // namespace sunup::controller
