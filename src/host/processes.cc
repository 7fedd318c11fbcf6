#include "host/processes.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace sunup::host {
namespace {

std::string_view last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  const size_t at = text.rfind('\n');
  if (at != std::string_view::npos) text.remove_prefix(at + 1);
  return text;
}

}  // namespace

Error Exit::as_error(std::string_view what) const {
  std::string text = timed_out     ? fmt::format("{}: did not end in time", what)
                     : signal != 0 ? fmt::format("{}: ended by signal {} ({})", what, signal, sigabbrev_np(signal))
                                   : fmt::format("{}: exit code {}", what, code);
  if (const auto line = last_line(err.empty() ? out : err); !line.empty()) text += fmt::format(": {}", line);
  Error error(std::move(text));
  if (timed_out) error.os_errno = ETIMEDOUT;
  return error;
}

Task<Result<Exit>> Processes::run(Command command) {
  Result<std::unique_ptr<Process>> process = start(std::move(command));
  if (!process) co_return std::move(process).error();
  co_return co_await (*process)->wait();
}

}  // namespace sunup::host
