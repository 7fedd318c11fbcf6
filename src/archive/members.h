// Types for reading archives: the requested members and the result.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::archive {

// Regular files by path, without a leading "./".
using Members = std::map<std::string, std::string>;
using Wanted = std::function<bool(std::string_view path)>;

// Receives data in pieces; an error stops it.
using Sink = std::function<Result<void>(std::string_view piece)>;

// No program of a node is larger. The size in an archive's header is untrusted, and memory is reserved for it.
inline constexpr uint64_t kLargestMember = uint64_t{512} << 20;

}  // namespace sunup::archive
