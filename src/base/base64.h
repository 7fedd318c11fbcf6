// Base64, standard alphabet with '=' padding, one line.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace sunup {

std::string base64_encode(std::string_view bytes);

// For bytes of which only the middle changes: what stands around it is encoded once.
//
//   Base64Frame frame(before, after);
//   frame.fill(middle) == base64_encode(before + middle + after)
class Base64Frame {
 public:
  Base64Frame(std::string_view before, std::string_view after);
  std::string fill(std::string_view middle) const;

 private:
  std::string before_;                // encoded, as far as its bytes come in threes
  std::string rest_;                  // the one or two bytes left over, not encoded
  std::string start_;                 // the first bytes of what comes after, not encoded
  std::array<std::string, 3> after_;  // encoded, without its first 0, 1, 2 bytes
};

// Strict: anything but the canonical alphabet and right padding is refused. CR and LF are skipped, because PEM bodies
// and hand-made configs wrap lines.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace sunup
