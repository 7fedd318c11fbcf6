#include "render/mime.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/fnv.h"

namespace sunup::render {
namespace {

constexpr std::string_view kBoundaryStart = "boundary=\"";

// Neither a secret nor a checksum: it must be the same for the same parts and must not occur in any of them.
std::string boundary_for(const std::vector<MimePart>& parts) {
  uint64_t hash = kFnvStart;
  for (const MimePart& part : parts) hash = fnv1a_64(part.body, fnv1a_64(part.type, hash));
  while (true) {
    std::string boundary = fmt::format("sunup-{:016x}", hash);
    const bool taken =
        std::ranges::any_of(parts, [&](const MimePart& part) { return part.body.find(boundary) != std::string::npos; });
    if (!taken) return boundary;
    hash = fnv1a_64(boundary, hash);
  }
}

}  // namespace

std::string multipart(const std::vector<MimePart>& parts) {
  const std::string boundary = boundary_for(parts);
  std::string out =
      fmt::format("MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"{}\"\r\n\r\n", boundary);
  for (size_t i = 0; i < parts.size(); ++i) {
    out += fmt::format("{}--{}\r\nContent-Transfer-Encoding: 7bit\r\nContent-Type: {}\r\nMime-Version: 1.0\r\n\r\n{}",
                       i == 0 ? "" : "\r\n", boundary, parts[i].type, parts[i].body);
  }
  return out + "\r\n--" + boundary + "--\r\n";
}

std::vector<MimePart> parts_of(std::string_view message) {
  const size_t start = message.find(kBoundaryStart);
  if (start == std::string_view::npos) return {};
  const size_t name = start + kBoundaryStart.size();
  const size_t quote = message.find('"', name);
  if (quote == std::string_view::npos) return {};
  const std::string marker = "--" + std::string(message.substr(name, quote - name));

  std::vector<MimePart> parts;
  size_t at = message.find(marker, quote);
  while (at != std::string_view::npos && message.substr(at + marker.size(), 2) == "\r\n") {
    const size_t headers = at + marker.size() + 2;
    const size_t body = message.find("\r\n\r\n", headers);
    const size_t end = message.find("\r\n" + marker, headers);
    if (body == std::string_view::npos || end == std::string_view::npos || body > end) return {};
    constexpr std::string_view kType = "Content-Type: ";
    const size_t type = message.substr(0, body).find(kType, headers);
    if (type == std::string_view::npos) return {};
    const size_t type_end = message.find("\r\n", type);
    parts.push_back({std::string(message.substr(type + kType.size(), type_end - type - kType.size())),
                     std::string(message.substr(body + 4, end - body - 4))});
    at = end + 2;
  }
  return parts;
}

}  // namespace sunup::render
