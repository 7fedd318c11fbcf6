// Extracts a program from the program itself, a .tar (.gz, .xz, .zst), a .deb, an .rpm, or a .tar that contains such a
// package.
#pragma once

#include <string>
#include <string_view>

#include "archive/members.h"

namespace sunup::archive {

// The only file called `name`, in any directory. A package inside an archive is used if its name starts with `name`.
Result<std::string> find_program(std::string_view bytes, std::string_view name);

// The same, but passes the program to `to` piece by piece, so that the program of a .deb is not held in memory as a
// whole. The content is valid only if no error is returned.
Result<void> find_program(std::string_view bytes, std::string_view name, const Sink& to);

}  // namespace sunup::archive
