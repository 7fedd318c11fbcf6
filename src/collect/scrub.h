// Redacts everything in logs that looks like a credential: bootstrap tokens, web tokens, authorization headers,
// signatures of storage URLs, passwords in URLs, private keys, values with the name of a password, secret, token or key
// (named_value.h), and all of that in base64 (encoded.h). Used for text that leaves the node, after the secrets of the
// node's config have been redacted by value (report::Redactor).
#pragma once

#include <string>
#include <string_view>

namespace sunup::collect {

// `depth`: how often base64 was decoded to get the text.
std::string scrub(std::string_view text, int depth = 0);

}  // namespace sunup::collect
