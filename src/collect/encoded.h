// Finds credentials inside base64: a client key in a kubeconfig, a whole config in a log.
#pragma once

#include <string_view>

#include "collect/found.h"

namespace sunup::collect {

// `text` begins where a run of base64 may begin: the preceding character is not a base64 character. The result is the
// whole run, including wrapped lines, if the decoded text contains a credential near the start of the run, or if it was
// encoded more often than kDeepest. Every line of a run is the start of one.
Found encoded_credential(std::string_view text, int depth);
inline constexpr int kDeepest = 3;

// Whether it is in the standard alphabet, without the padding.
bool is_base64_char(char c);

}  // namespace sunup::collect
