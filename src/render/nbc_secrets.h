// The credentials of a ready-made bootstrap command (the "nbc" file), for redaction.
#pragma once

#include <string_view>
#include <vector>

#include "base/secret.h"

namespace sunup::render {

// Every value that the text assigns to a variable that may contain a field marked (sunup.secret), as evaluated by a
// shell and as written, and each URL inside one: a value may be a small script that exports URLs (PROXY_VARS).
// Assignments are found everywhere, also in quotes, here-documents and comments: unlike nbc_environment(), which parses
// a command like the original, this function must not miss one. Sorted; any text is accepted.
std::vector<Secret> nbc_secrets(std::string_view text);

// Whether a variable of that name may contain a credential: variables of a config, and the one of older commands.
bool is_secret_variable(std::string_view name);

}  // namespace sunup::render
