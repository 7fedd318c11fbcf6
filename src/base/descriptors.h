// The three standard descriptors of a program.
#pragma once

namespace sunup {

// If a program is started with one of them closed, the next file that it opens would get that number, and its output
// would go there. Call this first.
void open_standard_descriptors();

}  // namespace sunup
