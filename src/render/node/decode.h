// Base64 content of config fields, for files on the node.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::render::node {

// A certificate or key: base64, or PEM as it is. A node must not start with half a certificate, so anything else is an
// error that names the field (and never shows its value).
Result<std::string> decode_pem_field(std::string_view value, std::string_view field);

// A text that is base64 by contract but has also been seen plain: what does not decode is taken as it is.
std::string decode_text_field(std::string_view value);

}  // namespace sunup::render::node
