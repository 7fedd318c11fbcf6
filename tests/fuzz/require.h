// Reports that a property of a fuzz target is violated.
#pragma once

#include <cstdio>
#include <cstdlib>

inline void require(bool held, const char* promise) {
  if (held) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}
