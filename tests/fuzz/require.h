// How a fuzz target says that a promise is broken.
#pragma once

#include <cstdio>
#include <cstdlib>

inline void require(bool held, const char* promise) {
  if (held) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}
