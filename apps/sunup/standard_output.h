// What a verb prints, checked in one place. Verbs print to stdout however they like and need not look: a write that
// fails is remembered, and main() says so once at the end, with exit code 2.
#pragma once

namespace sunup {

// Opens /dev/null on descriptors 0 to 2 that are closed, so that no file opened later is taken for one of them, and
// puts the remembering stream in the place of stdout. Once, before anything is printed.
void watch_standard_output();

// Flushes. Returns the exit code: the given one, or 2 when something that was printed did not arrive. A reader that
// went away has seen enough: then nothing is said.
int finish_standard_output(int exit_code);

}  // namespace sunup
