// The three descriptors that every program is started with.
#pragma once

namespace sunup {

// Started with one of them closed, the next file a program opens would get its number, and whatever it says would go
// there. Call it first.
void open_standard_descriptors();

}  // namespace sunup
