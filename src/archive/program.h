// Extracts a program from the program itself, a .tar (.gz, .xz, .zst), a .deb, an .rpm, or a .tar that contains such a
// package.
#pragma once

#include <string>
#include <string_view>

#include "archive/members.h"

namespace sunup::archive {

// The only file called `name`, in any directory. A package inside an archive is used if its name starts with `name`.
Result<std::string> find_program(std::string_view bytes, std::string_view name);

// The same, given to `to` piece by piece: a .deb's program is not held in memory as a whole. What `to` got is the
// program only if no error is returned.
Result<void> find_program(std::string_view bytes, std::string_view name, const Sink& to);

}  // namespace sunup::archive
