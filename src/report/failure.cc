#include "report/failure.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "report/exit_codes.h"

namespace sunup::report {
namespace {

// Converts the text to one line of valid UTF-8 in at most `room` bytes.
std::string line_of(std::string_view text, size_t room) {
  std::string clean;
  while (!text.empty() && clean.size() <= room) {
    const Rune rune = first_rune(text);
    if (!rune.valid())
      clean += '?';
    else if (rune.code < 0x20)
      clean += ' ';
    else
      clean += text.substr(0, rune.size);
    text.remove_prefix(rune.size);
  }
  return fitting(clean, room);
}

std::string hint_of(const Failure& failure) {
  if (!failure.hint.empty()) return failure.hint;
  const ExitCode* code = find_exit_code(failure.exit_code);
  return code == nullptr ? "" : std::string(code->remedy);
}

std::string headline(const Failure& failure) {
  std::string text = fmt::format("provisioning failed: exit code {}", failure.exit_code);
  const ExitCode* code = find_exit_code(failure.exit_code);
  if (code == nullptr) return text;
  if (!code->name.empty()) text += fmt::format(" {}", code->name);
  return text + fmt::format(" ({})", code->area);
}

std::string ignored_of(const Failure& failure) {
  std::string text;
  for (const std::string& field : failure.ignored) text += (text.empty() ? "" : ", ") + field;
  return text;
}

}  // namespace

std::string failure_text(const Failure& failure) {
  const auto part = [](std::string_view name, std::string_view text, size_t most) {
    return text.empty() ? std::string() : fmt::format("\n{}: {}", name, line_of(text, most));
  };
  const std::string before = line_of(headline(failure), 100) + part("step", failure.step, 80);
  const std::string after = part("do", hint_of(failure), 220) + part("ignored", ignored_of(failure), 100) +
                            part("timeline", failure.timeline, 180);
  // The cause may use the room that the other parts leave.
  constexpr size_t kPrefix = sizeof("\ncause: ") - 1;
  return before + part("cause", failure.cause, kLongestFailureText - kPrefix - before.size() - after.size()) + after;
}

std::string failure_json(const Failure& failure) {
  const ExitCode* code = find_exit_code(failure.exit_code);
  const nlohmann::ordered_json out{{"node", failure.node},
                                   {"exitCode", failure.exit_code},
                                   {"name", code == nullptr ? "" : std::string(code->name)},
                                   {"step", failure.step},
                                   {"cause", failure.cause},
                                   {"hint", hint_of(failure)},
                                   {"retryMayHelp", code != nullptr && code->retry_may_help},
                                   {"ignored", failure.ignored},
                                   {"timeline", failure.timeline},
                                   {"text", failure_text(failure)}};
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace sunup::report
