// How the value of a variable in a command may differ from the one that the command's config gives, and mean the same.
// docs/compatibility.md lists these differences one by one.
#pragma once

#include <string>
#include <string_view>

#include "render/nbc_command.h"

namespace sunup::render {

// True: the values mean the same, or the difference is a known one; then `remark` may say what is done about it.
bool nbc_difference(std::string_view name, std::string_view sent, std::string_view computed, const NbcCommand& command,
                    std::string& remark);

}  // namespace sunup::render
