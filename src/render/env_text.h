// An environment as text, for people and programs to read.
#pragma once

#include <string>

#include "base/result.h"
#include "render/cse_env.h"

namespace sunup::render {

// One JSON object of strings, one variable a line, sorted.
std::string environment_json(const Environment& environment);

// Lines `export NAME='value'` that any POSIX shell can source. Fails on a NUL, which no environment can hold.
Result<std::string> environment_shell(const Environment& environment);

}  // namespace sunup::render
