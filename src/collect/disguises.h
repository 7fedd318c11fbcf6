// The forms of a secret in a log that several programs have processed: quoted for JSON twice, in HTML, in hex, in
// base64 of base64. report::Redactor does not search for them, because the node's own log is time-critical; they are
// searched for only in text that leaves the node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sunup::collect {

std::vector<std::string> disguises_of(std::string_view secret);

}  // namespace sunup::collect
