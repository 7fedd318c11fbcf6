// A secret as it stands in a log that went through more than one program: quoted for JSON twice, in a page, in hex, in
// base64 of base64. Beyond what report::Redactor knows by itself, because a node's own log is written while somebody
// waits and these are only looked for in what leaves it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sunup::collect {

std::vector<std::string> disguises_of(std::string_view secret);

}  // namespace sunup::collect
