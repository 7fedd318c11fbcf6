// Our own stdout and stderr: written to at once, byte for byte, and never in the way of being stopped. A reader that
// has gone costs its output and nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "controller/unread_output.h"

namespace sunup::controller {

// What somebody asked to see: one who reads slowly (a pager) gets it all, unless we are asked to stop.
void write_stdout(std::string_view bytes);
void write_stderr(std::string_view bytes);

// What is said in passing while there is work to do: nobody waits for a reader that pauses, he finds it when he reads
// on (unread_output.h).
void pass_to_stdout(std::string_view bytes);
void pass_to_stderr(std::string_view bytes);

// `watch` gets a stream that has begun to wait for its reader; it is to call write_some() whenever the descriptor takes
// more, until nothing waits. Without it, what waits goes out with what is said next, or at the end.
void watch_unread_with(std::function<void(UnreadOutput&)> watch);

// The end: gives readers some seconds for what they have not read yet, less if we are asked to stop. How many bytes are
// left.
uint64_t finish_output();

}  // namespace sunup::controller
