// Credentials inside of base64: a client's key in a kubeconfig, a whole config in a log.
#pragma once

#include <string_view>

#include "collect/found.h"

namespace sunup::collect {

// `text` begins where a run of base64 may begin: the character before it is none of it. Found is the whole run, when
// the text behind it holds a credential; lines that are wrapped belong together.
Found encoded_credential(std::string_view text);

// Of the standard alphabet, without the padding.
bool is_base64_char(char c);

}  // namespace sunup::collect
