// A multipart/mixed message of 7-bit text parts, as cloud-init reads it. The boundary is derived from the parts, so
// equal parts give equal bytes: Azure responds with 409 if the custom data of an existing VM changes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sunup::render {

struct MimePart {
  std::string type;  // "text/cloud-boothook"
  std::string body;  // ASCII, lines end with LF
};

std::string multipart(const std::vector<MimePart>& parts);

// The parts of the output of multipart(); empty for other messages.
std::vector<MimePart> parts_of(std::string_view message);

}  // namespace sunup::render
