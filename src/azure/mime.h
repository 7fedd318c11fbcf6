// The parts of a multipart MIME message, as mail programs and cloud-init read it: headers in any case and order, folded
// lines, line ends LF or CRLF, bodies plain, base64 or quoted-printable. A message without its end is an error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sunup::azure {

inline constexpr size_t kMostMimeParts = 64;

struct MimePart {
  std::string type;  // lower case, without parameters; "text/plain" if none is given
  std::string body;  // decoded
};

// A message that is not multipart has one part.
Result<std::vector<MimePart>> mime_parts(std::string_view message);

}  // namespace sunup::azure
