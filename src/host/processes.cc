#include "host/processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text.h"

namespace sunup::host {

std::optional<uint64_t> start_ticks_in(std::string_view stat) {
  // The second field is the program's name in parentheses, which may itself contain spaces and parentheses. Fields are
  // counted from its end.
  stat.remove_prefix(std::min(stat.rfind(')') + 1, stat.size()));
  const auto fields = words(stat);
  constexpr size_t kStart = 22 - 3;  // field 22; the first one after the name is field 3
  return fields.size() <= kStart ? std::nullopt : as_number<uint64_t>(fields[kStart]);
}
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
