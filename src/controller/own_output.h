// Our own stdout and stderr: written to at once, byte for byte, and never in the way of being stopped. A reader that
// has gone costs its output and nothing else.
#pragma once

#include <string_view>

namespace sunup::controller {

// What somebody asked to see: one who reads slowly (a pager) gets it all, unless we are asked to stop.
void write_stdout(std::string_view bytes);
void write_stderr(std::string_view bytes);

// What is said in passing while there is work to do: a reader that takes nothing for some seconds loses what comes
// until it reads again, because deadlines and signals wait behind it. Nothing is lost for good: logs and results have
// it.
void pass_to_stdout(std::string_view bytes);
void pass_to_stderr(std::string_view bytes);

}  // namespace sunup::controller
