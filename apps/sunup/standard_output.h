// Checks the standard output of a verb in one place. Verbs print to stdout without checking for errors: a failed write
// is recorded, and main() reports it once at the end, with exit code 2.
#pragma once

namespace sunup {

// Opens /dev/null on those of the descriptors 0 to 2 that are closed, so that no file opened later gets one of them,
// and replaces stdout by the stream that records errors. Must be called once, before anything is printed.
void watch_standard_output();

// Flushes. Returns the given exit code, or 2 if some of the output could not be written. If the reader has closed the
// pipe, no message is printed.
int finish_standard_output(int exit_code);

}  // namespace sunup
