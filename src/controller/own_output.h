// Our own stdout and stderr: written to at once, byte for byte, and never in the way of being stopped. A reader that
// has gone costs its output and nothing else; one that stalls holds us up, as it would hold up the child, but only
// until we are asked to stop.
#pragma once

#include <string_view>

namespace sunup::controller {

void write_stdout(std::string_view bytes);
void write_stderr(std::string_view bytes);

}  // namespace sunup::controller
