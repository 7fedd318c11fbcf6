// Files out of distribution packages, .deb and .rpm, without the distribution's tools: only a program is wanted, and
// installing is none of it (the original unpacks one file, too). What a package says of its own integrity is checked:
// the digest of an .rpm's payload, the checksum of a .deb's file.
#pragma once

#include <string_view>

#include "archive/members.h"

namespace sunup::archive {

bool is_deb(std::string_view bytes);
bool is_rpm(std::string_view bytes);

Result<Members> read_deb(std::string_view package, const Wanted& wanted);
Result<Members> read_rpm(std::string_view package, const Wanted& wanted);

}  // namespace sunup::archive
