#include "render/node/decode.h"

#include "base/base64.h"
#include "render/text.h"

namespace sunup::render::node {

Result<std::string> decode_pem_field(std::string_view value, std::string_view field) {
  if (trimmed(value).starts_with("-----BEGIN ")) return std::string(value);
  auto bytes = base64_decode(trimmed(value));
  if (!bytes) {
    return Error(std::string(field) + " is neither base64 nor PEM").with_hint("this field must be encoded");
  }
  return *std::move(bytes);
}

std::string decode_text_field(std::string_view value) {
  return base64_decode(trimmed(value)).value_or(std::string(value));
}

}  // namespace sunup::render::node
