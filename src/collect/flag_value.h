// Finds a credential after a one-letter flag whose meaning depends on the program: `curl -u name:...`, `az login -p
// ...`, as a command line or as a list of quoted arguments.
#pragma once

#include <string_view>

#include "collect/found.h"

namespace sunup::collect {

// `text` begins with a '-'; `line` is the preceding text of the same line.
Found flag_value(std::string_view text, std::string_view line);

}  // namespace sunup::collect
