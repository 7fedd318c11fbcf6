// A multipart/mixed message of 7-bit text parts, as cloud-init reads it. The boundary is derived from the parts, so
// that equal parts give equal bytes: Azure answers 409 when the custom data of an existing VM changes.
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

// What multipart() made, taken apart; empty when it is no such message.
std::vector<MimePart> parts_of(std::string_view message);

}  // namespace sunup::render
