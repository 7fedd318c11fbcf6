// Decompresses gzip, xz and zstd, detected by their first bytes. Other data is passed through.
#pragma once

#include <string_view>

#include "archive/members.h"

namespace sunup::archive {

bool is_compressed(std::string_view bytes);

// Whether these bytes are one zstd frame with a checksum of its content, which decompress() then compares.
bool has_own_checksum(std::string_view bytes);

// Truncated or damaged data, or data after the end, is an error, reported after the data before it.
Result<void> decompress(std::string_view bytes, const Sink& out);

}  // namespace sunup::archive
