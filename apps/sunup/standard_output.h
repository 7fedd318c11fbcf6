// The standard streams of a verb. Errors are printed in one form, and standard output is checked in one place: verbs
// print to stdout without checking for errors: a failed write is recorded, and main() reports it once at the end, with
// exit code 2.
#pragma once

#include <string_view>

#include "base/result.h"

namespace sunup {

// Prints "sunup VERB: what; hint" to stderr, safe for a terminal, and returns the given exit code.
int complain(std::string_view verb, const Error& error, int exit_code = 2);

// Opens /dev/null on those of the descriptors 0 to 2 that are closed, so that no file opened later gets one of them,
// and replaces stdout by the stream that records errors. Must be called once, before anything is printed.
void watch_standard_output();

// Flushes. Returns the given exit code, or 2 if some of the output could not be written. If the reader has closed the
// pipe, no message is printed.
int finish_standard_output(int exit_code);

}  // namespace sunup
