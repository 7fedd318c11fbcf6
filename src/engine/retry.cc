#include "engine/retry.h"

#include <algorithm>
#include <cerrno>

namespace sunup::engine {
namespace {

// splitmix64: spreads any number evenly with a few operations.
uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

std::optional<Duration> next_pause(const Retry& retry, std::string_view step, int attempts, const Error& error,
                                   Duration left, uint64_t seed) {
  if (attempts >= retry.attempts) return std::nullopt;
  if (retry.worth && !retry.worth(error)) return std::nullopt;
  Duration pause = retry.pause;
  for (int i = 1; i < attempts && pause < retry.longest_pause; ++i) pause *= 2;
  pause = std::min(pause, retry.longest_pause);
  uint64_t random = mix(seed ^ static_cast<uint64_t>(attempts));
  for (const char c : step) random = mix(random ^ static_cast<unsigned char>(c));
  const int64_t half = pause.count() / 2;
  pause = Duration(half + static_cast<int64_t>(random % static_cast<uint64_t>(half + 1)));
  if (pause >= left) return std::nullopt;
  return pause;
}

bool may_pass(const Error& error) {
  constexpr int kPassing[] = {ENOSPC, EDQUOT,    EIO,          EMFILE,     ENFILE,      ENOMEM,       EAGAIN,
                              EINTR,  ETIMEDOUT, ECONNREFUSED, ECONNRESET, ENETUNREACH, EHOSTUNREACH, ENOTCONN};
  return std::find(std::begin(kPassing), std::end(kPassing), error.os_errno) != std::end(kPassing);
}

}  // namespace sunup::engine
