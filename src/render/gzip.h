// gzip without a time stamp, a file name or an operating system: the same input gives the same bytes.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::render {

std::string gzip(std::string_view bytes);

// Returns an error for data that is damaged, truncated, or larger than `limit` bytes when decompressed.
Result<std::string> gunzip(std::string_view bytes, size_t limit);

inline bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

}  // namespace sunup::render
