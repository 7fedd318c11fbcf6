#include "engine/profile.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace sunup::engine {

Result<Profile> Profile::parse(std::string_view text) {
  Profile profile;
  int number = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
    ++number;
    line = line.substr(0, line.find('#'));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const size_t space = line.rfind(' ');
    double ms = -1;
    if (space != std::string_view::npos && space > 0) {
      const std::string_view digits = line.substr(space + 1);
      if (std::from_chars(digits.data(), digits.data() + digits.size(), ms).ptr != digits.data() + digits.size())
        ms = -1;
    }
    if (!(ms >= 0 && ms < 1e9)) return Error(fmt::format("profile line {}: not 'name milliseconds'", number));
    profile.record(std::string(line.substr(0, space)), host::Duration(static_cast<int64_t>(std::round(ms * 1e6))));
  }
  return profile;
}

std::string Profile::print() const {
  std::string text;
  for (const auto& [name, weight] : weights_)
    text += fmt::format("{} {:.3f}\n", name, std::chrono::duration<double, std::milli>(weight).count());
  return text;
}

}  // namespace sunup::engine
