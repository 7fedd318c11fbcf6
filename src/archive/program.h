// A program out of whatever it came in: itself, a .tar (.gz, .xz, .zst), a .deb, an .rpm, or a .tar that holds such a
// package.
#pragma once

#include <string>
#include <string_view>

#include "archive/members.h"

namespace sunup::archive {

// The one file called `name`, in whatever folder. A package inside an archive counts if its own name starts with
// `name`.
Result<std::string> find_program(std::string_view bytes, std::string_view name);

}  // namespace sunup::archive
