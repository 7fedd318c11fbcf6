// Takes out of logs what looks like a credential, whoever wrote it there: bootstrap tokens, web tokens, authorization
// headers, signatures of storage URLs, passwords in URLs, private keys, whatever is called a password, secret, token or
// key (named_value.h), and all of that in base64 (encoded.h). For text that leaves the node; the secrets of the node's
// own config are hidden by value (report::Redactor) before.
#pragma once

#include <string>
#include <string_view>

namespace sunup::collect {

std::string scrub(std::string_view text);

}  // namespace sunup::collect
