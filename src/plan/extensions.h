// System extensions: images of programs that are merged over a read-only /usr.
#pragma once

#include <string>
#include <string_view>

#include "plan/declaration.h"

namespace sunup::plan {

// Links the image to the directory that systemd reads, merges it, and links `to` to the program in it.
Task<Result<void>> merge_extension(Context& c, const NodeFacts& facts, std::string image, std::string name,
                                   std::string to);

// The files that this changes besides `to`.
std::vector<FileEffect> extension_effects(std::string_view name, const NodeFacts& facts);

}  // namespace sunup::plan
