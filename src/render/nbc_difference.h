// Whether a variable of a command may differ from the value that follows from the command's config without a difference
// in meaning. docs/compatibility.md lists these differences individually.
#pragma once

#include <string>
#include <string_view>

#include "render/nbc_command.h"

namespace sunup::render {

// Returns true if the values have the same meaning or the difference is a known one. In that case `remark` may describe
// how it is handled.
bool nbc_difference(std::string_view name, std::string_view sent, std::string_view computed, const NbcCommand& command,
                    std::string& remark);

}  // namespace sunup::render
