// The credentials of a ready-made bootstrap command (the "nbc" file), so that whoever writes text for others to read
// can take them out first.
#pragma once

#include <string_view>
#include <vector>

#include "base/secret.h"

namespace sunup::render {

// The value of every variable that may hold a field marked (sunup.secret), and each URL inside one: a value may be a
// small script that exports URLs (PROXY_VARS). Any text is fine.
std::vector<Secret> nbc_secrets(std::string_view text);

// Whether a variable of that name may hold a credential: those made from a config, and the one of older commands.
bool is_secret_variable(std::string_view name);

}  // namespace sunup::render
