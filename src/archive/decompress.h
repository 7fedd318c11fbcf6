// gzip, xz and zstd, told apart by their first bytes. Anything else passes as it is.
#pragma once

#include <string_view>

#include "archive/members.h"

namespace sunup::archive {

bool is_compressed(std::string_view bytes);

// Bytes that are cut off, damaged or followed by something else are an error, after what came before them.
Result<void> decompress(std::string_view bytes, const Sink& out);

}  // namespace sunup::archive
