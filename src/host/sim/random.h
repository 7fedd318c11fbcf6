// Reproducible randomness: the same seed gives the same sequence on every machine and in every build.
#pragma once

#include <cstdint>

namespace sunup::host::sim {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) { next(); }

  uint64_t next() {  // splitmix64
    uint64_t x = state_ += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }
  uint64_t below(uint64_t n) { return n == 0 ? 0 : next() % n; }
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low + 1)));
  }
  bool chance(unsigned percent) { return below(100) < percent; }
  // An independent stream: the numbers that one part of a simulation draws do not affect those of another part.
  Random fork(uint64_t name) { return Random(next() ^ (name * 0xd1342543de82ef95ULL)); }

 private:
  uint64_t state_;
};

}  // namespace sunup::host::sim
