// A credential found at the beginning of a text: how much of it is kept, and where it ends.
#pragma once

#include <cstddef>

namespace sunup::collect {

// The longest text that is examined without being redacted: a longer one counts as a credential. So the time that a
// text takes grows with its length, whatever it contains.
inline constexpr size_t kLongestHarmless = 1024;

struct Found {
  size_t keep = 0;    // "password=" is kept
  size_t length = 0;  // including the kept part; 0: nothing was found
};

}  // namespace sunup::collect
