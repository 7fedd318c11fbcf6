// What is asked of an archive, and what comes out of it.
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

// Gets bytes piece by piece; an error ends it.
using Sink = std::function<Result<void>(std::string_view piece)>;

// No program of a node is larger. An archive's header can claim anything, and memory is reserved by it.
inline constexpr uint64_t kLargestMember = uint64_t{512} << 20;

}  // namespace sunup::archive
