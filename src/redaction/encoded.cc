#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

#include "base/base64.h"
#include "base/text.h"
#include "redaction/credential.h"

namespace sunup::redaction {
namespace {

constexpr size_t kShortest = 24;     // long enough for a short password with its name
constexpr size_t kWrappedLine = 60;  // base64 wraps at 64 or 76
constexpr size_t kPackedLine = 100;

size_t run_at(std::string_view text, size_t at) {
  while (at < text.size() && is_base64_char(text[at])) ++at;
  return at;
}

// Whether the run that ends at `at` is a name: "password=x" and "token : x" after a line of base64 do not belong to it.
bool begins_a_value(std::string_view text, size_t at) {
  const size_t name = at;
  while (at < text.size() && text[at] == '=' && at < name + 2) ++at;
  if (at > name)
    return at < text.size() && (is_name_char(text[at]) || text[at] == '"' || text[at] == '\'' || text[at] == ' ');
  while (at < text.size() && (is_name_char(text[at]) || text[at] == ' ' || text[at] == '\t' || text[at] == '"')) ++at;
  return at < text.size() && (text[at] == '=' || text[at] == ':');
}

// The end of the run, including the lines on which it continues: all of them, or those that begin in the first `most`
// bytes.
size_t wrapped_end(std::string_view text, size_t first_line, size_t most = std::string_view::npos) {
  size_t start = 0;
  size_t end = first_line;
  while (end - start >= kWrappedLine && end < most) {
    size_t next = end;
    if (next < text.size() && text[next] == '\r') ++next;
    if (next < text.size() && text[next] == '\n') {
      ++next;
    } else if (text.substr(next).starts_with("\\n")) {
      next += 2;
    } else {
      break;
    }
    const size_t last = run_at(text, next);
    if (last == next || (last - next < kWrappedLine && begins_a_value(text, last))) break;
    start = next;
    end = last;
  }
  return end;
}

std::string without_line_ends(std::string_view run) {
  std::string out;
  for (size_t i = 0; i < run.size(); ++i) {
    if (run[i] == '\\' && i + 1 < run.size() && run[i + 1] == 'n')
      ++i;
    else if (is_base64_char(run[i]))
      out += run[i];
  }
  return out;
}

bool is_text(std::string_view bytes) {
  const auto readable = std::ranges::count_if(bytes, [](char c) {
    return std::isprint(static_cast<unsigned char>(c)) != 0 || c == '\n' || c == '\r' || c == '\t';
  });
  return !bytes.empty() && static_cast<size_t>(readable) * 20 >= bytes.size() * 19;
}

std::optional<std::string> decoded(std::string_view digits) {
  if (digits.size() % 4 == 1) digits.remove_suffix(1);
  std::string padded(digits);
  padded.append((4 - padded.size() % 4) % 4, '=');
  if (auto whole = base64_decode(padded)) return whole;
  // The last digit has unused bits; the digits before it are sufficient.
  return base64_decode(digits.substr(0, digits.size() / 4 * 4));
}

}  // namespace

bool is_base64_char(char c) {
  return is_alphanumeric(c) || c == '+' || c == '/';
}

Found encoded_credential(std::string_view text, IsSecretName further, int depth) {
  const size_t first_line = run_at(text, 0);
  if (first_line < kShortest) return {};
  const auto whole = [&text, first_line]() -> Found {
    const size_t end = wrapped_end(text, first_line);
    size_t last = end;
    while (last < text.size() && last < end + 2 && text[last] == '=') ++last;
    return {0, last};
  };
  if (depth >= kDeepest) return whole();
  const size_t near = wrapped_end(text, first_line, kLongestHarmless);
  const std::string digits = without_line_ends(text.substr(0, near));
  // The run may begin with letters that belong to the preceding text ("\n", "/").
  for (size_t skip = 0; skip < 4; ++skip) {
    const std::string_view rest = std::string_view(digits).substr(skip);
    // Compressed: its content cannot be examined.
    if (rest.starts_with("H4sI") && rest.size() > kPackedLine) return whole();
    const auto inside = decoded(rest);
    if (!inside || !is_text(*inside)) continue;
    if (inside->find("PRIVATE KEY") != std::string::npos || scrub_decoded(*inside, further, depth + 1) != *inside)
      return whole();
  }
  return {};
}

}  // namespace sunup::redaction
