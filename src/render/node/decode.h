// Decodes base64 content of config fields, for files on the node.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::render::node {

// A certificate or key: base64, or plain PEM. A node must not start with a truncated certificate, so anything else is
// an error. The error names the field and never contains its value.
Result<std::string> decode_pem_field(std::string_view value, std::string_view field);

// A text that should be base64 according to the contract but is sometimes plain: if it cannot be decoded, it is
// returned unmodified.
std::string decode_text_field(std::string_view value);

}  // namespace sunup::render::node
