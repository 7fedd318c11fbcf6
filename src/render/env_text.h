// Prints an environment as text.
#pragma once

#include <string>

#include "base/result.h"
#include "render/cse_env.h"

namespace sunup::render {

// One JSON object of strings, one variable per line, sorted.
std::string environment_json(const Environment& environment);

// Lines `export NAME='value'` that any POSIX shell can source. Fails for a NUL, which an environment cannot contain.
Result<std::string> environment_shell(const Environment& environment);

}  // namespace sunup::render
