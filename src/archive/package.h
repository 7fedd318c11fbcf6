// Extracts files from .deb and .rpm packages without the distribution's tools: only a program is needed, and nothing is
// installed (the original also unpacks one file). Integrity data in the package is verified: the payload digest of an
// .rpm, the file checksums of a .deb.
#pragma once

#include <string_view>

#include "archive/members.h"

namespace sunup::archive {

bool is_deb(std::string_view bytes);
bool is_rpm(std::string_view bytes);

// If there is a `to`, it gets the content of the only wanted file, piece by piece, and the member's text is empty. The
// content is valid only if no error is returned.
Result<Members> read_deb(std::string_view package, const Wanted& wanted, const Sink& to = {});
Result<Members> read_rpm(std::string_view package, const Wanted& wanted);

}  // namespace sunup::archive
