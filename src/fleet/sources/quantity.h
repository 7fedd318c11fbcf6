// Kubernetes quantities: "100m", "1843Mi", "2Gi".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sunup::fleet {

struct Quantity {
  int64_t milli = 0;  // in thousandths, so cpu "100m" is an integer; saturates

  int64_t units() const { return milli / 1000; }
};

// A decimal number with an optional suffix: m k M G T P E, Ki Mi Gi Ti Pi Ei, and K, which node classes allow.
std::optional<Quantity> parse_quantity(std::string_view text);

// The canonical spelling: the largest suffix that leaves a whole number, so 1024 MiB is "1Gi" and 1843 is "1843Mi".
std::string format_mebibytes(int64_t mebibytes);
std::string format_millicores(int64_t millicores);

}  // namespace sunup::fleet
