#include "fleet/duration.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace sunup::fleet {
namespace {

constexpr std::pair<std::string_view, int64_t> kUnits[] = {
    {"ns", 1},           {"us", 1000},         {"µs", 1000},           {"ms", 1000000},
    {"s", 1000000000LL}, {"m", 60000000000LL}, {"h", 3600000000000LL},
};

}  // namespace

std::optional<int64_t> parse_duration(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  long double total = 0;
  while (!text.empty()) {
    const size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    if (digits == 0 || text.substr(0, digits) == ".") return std::nullopt;
    double number = 0;
    const char* const start = text.data();
    const auto [end, err] = std::from_chars(start, start + digits, number, std::chars_format::fixed);
    if (err != std::errc{} || end != start + digits) return std::nullopt;
    text.remove_prefix(digits);
    const size_t letters = std::min(text.find_first_of("0123456789."), text.size());
    int64_t unit = 0;
    for (const auto& [name, nanoseconds] : kUnits)
      if (name == text.substr(0, letters)) unit = nanoseconds;
    if (unit == 0) return std::nullopt;
    text.remove_prefix(letters);
    total += static_cast<long double>(number) * unit;
  }
  if (total > 9.2e18L) return std::nullopt;
  const auto nanoseconds = static_cast<int64_t>(total);
  return negative ? -nanoseconds : nanoseconds;
}

std::string format_duration(int64_t nanoseconds) {
  if (nanoseconds == 0) return "0s";
  if (nanoseconds < 0) return "-" + format_duration(-nanoseconds);
  if (nanoseconds < 1000) return fmt::format("{}ns", nanoseconds);
  if (nanoseconds < 1000000) return fmt::format("{}µs", static_cast<double>(nanoseconds) / 1e3);
  if (nanoseconds < 1000000000) return fmt::format("{}ms", static_cast<double>(nanoseconds) / 1e6);
  const int64_t minutes = nanoseconds / 60000000000LL;
  const int64_t rest = nanoseconds % 60000000000LL;
  std::string text;
  if (minutes >= 60) text += fmt::format("{}h", minutes / 60);
  if (minutes > 0) text += fmt::format("{}m", minutes % 60);
  return text + (rest % 1000000000 == 0 ? fmt::format("{}s", rest / 1000000000)
                                        : fmt::format("{}s", static_cast<double>(rest) / 1e9));
}

}  // namespace sunup::fleet
