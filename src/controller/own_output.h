// stdout and stderr of this process: written immediately and unchanged, and never blocking a request to stop. If the
// reader no longer exists, only its output is lost.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "controller/unread_output.h"

namespace sunup::controller {

// For requested output: a slow reader (a pager) gets all of it, unless the process is asked to stop.
void write_stdout(std::string_view bytes);
void write_stderr(std::string_view bytes);

// For messages during work: the process does not wait for a reader that pauses; the reader gets them when it continues
// (unread_output.h).
void pass_to_stdout(std::string_view bytes);
void pass_to_stderr(std::string_view bytes);

// `watch` is called with a stream whose output waits for its reader; it must call write_some() whenever the descriptor
// accepts more, until nothing waits. Without it, waiting output is written with the next message, or at the end.
void watch_unread_with(std::function<void(UnreadOutput&)> watch);

// At the end: gives readers some seconds to read the rest, fewer if the process is asked to stop. Returns the number of
// unread bytes.
uint64_t finish_output();

}  // namespace sunup::controller
