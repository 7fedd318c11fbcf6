#include "render/number_text.h"

#include <charconv>
#include <cmath>
#include <system_error>

namespace sunup::render {

std::string number_text(int64_t value) {
  char buffer[24];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char buffer[32];
  // Both bounds are doubles themselves, so the shortest digits of any other value do not round to them. The value alone
  // therefore determines the form.
  const double size = std::fabs(value);
  const auto format =
      size == 0 || (size >= 1e-4 && size < 1e6) ? std::chars_format::fixed : std::chars_format::scientific;
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value, format).ptr};
}

}  // namespace sunup::render
