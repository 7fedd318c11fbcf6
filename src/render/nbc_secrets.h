// The credentials of a ready-made bootstrap command (the "nbc" file), so that whoever writes text for others to read
// can take them out first.
#pragma once

#include <string_view>
#include <vector>

#include "base/secret.h"

namespace sunup::render {

// Every value that the text assigns to a variable that may hold a field marked (sunup.secret), as a shell would have it
// and as it is written, and each URL inside one: a value may be a small script that exports URLs (PROXY_VARS). An
// assignment counts wherever it stands, in quotes, documents and remarks too: unlike nbc_environment(), which reads a
// command as the original does, this must not miss one. Sorted; any text is fine.
std::vector<Secret> nbc_secrets(std::string_view text);

// Whether a variable of that name may hold a credential: those made from a config, and the one of older commands.
bool is_secret_variable(std::string_view name);

}  // namespace sunup::render
