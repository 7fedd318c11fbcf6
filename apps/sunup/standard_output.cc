#include "standard_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/descriptors.h"
#include "base/quoted.h"

namespace sunup {
namespace {

int first_error = 0;

// Never reports a failure: the first error is stored and reported at the end.
ssize_t write_and_remember(void*, const char* bytes, size_t count) {
  size_t done = 0;
  while (first_error == 0 && done < count) {
    const ssize_t written = ::write(STDOUT_FILENO, bytes + done, count - done);
    if (written >= 0)
      done += static_cast<size_t>(written);
    else if (errno != EINTR)
      first_error = errno;
  }
  return static_cast<ssize_t>(count);
}

}  // namespace

int complain(std::string_view verb, const Error& error, int exit_code) {
  fmt::print(stderr, "sunup{}{}: {}{}{}\n", verb.empty() ? "" : " ", verb, visible(error.what),
             error.hint.empty() ? "" : "; ", visible(error.hint));
  return exit_code;
}

void watch_standard_output() {
  open_standard_descriptors();
  FILE* watched =
      ::fopencookie(nullptr, "w", {.read = nullptr, .write = write_and_remember, .seek = nullptr, .close = nullptr});
  if (watched == nullptr) return;  // out of memory: errors are not detected
  static char buffer[64 * 1024];
  std::setvbuf(watched, buffer, ::isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof buffer);
  stdout = watched;
}

int finish_standard_output(int exit_code) {
  std::fflush(stdout);
  if (first_error == 0) return exit_code;
  if (first_error != EPIPE) std::fprintf(stderr, "sunup: writing to standard output: %s\n", std::strerror(first_error));
  return 2;
}

}  // namespace sunup
