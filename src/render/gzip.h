// gzip without a time stamp, a file name or an operating system in it: same input, same bytes.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::render {

std::string gzip(std::string_view bytes);

// Refuses what is damaged, cut off, or unpacks to more than `limit` bytes.
Result<std::string> gunzip(std::string_view bytes, size_t limit);

inline bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

}  // namespace sunup::render
