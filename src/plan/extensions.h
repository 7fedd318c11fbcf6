// System extensions: a program's image merged over /usr, where that is sealed.
#pragma once

#include <string>
#include <string_view>

#include "plan/declaration.h"

namespace sunup::plan {

// Links the image to where systemd looks for it, has it merged, and links `to` to the program in it.
Task<Result<void>> merge_extension(Context& c, const NodeFacts& facts, std::string image, std::string name,
                                   std::string to);

// What that touches besides `to`.
std::vector<FileEffect> extension_effects(std::string_view name, const NodeFacts& facts);

}  // namespace sunup::plan
