// Writes a tar archive (POSIX ustar) of texts in memory. The same input gives the same bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::collect {

class Tar {
 public:
  explicit Tar(int64_t modified) : modified_(modified) {}  // seconds since 1970, of every member

  // The name is relative, at most 100 bytes, or 255 if it can be split at a slash.
  Result<void> add(std::string_view name, std::string_view content);
  // The complete archive. Nothing may be added afterwards.
  std::string finish() &&;

 private:
  int64_t modified_;
  std::string bytes_;
};

}  // namespace sunup::collect
