#include "collect/journal_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_nesting.h"
#include "base/text.h"

namespace sunup::collect {
namespace {

using nlohmann::ordered_json;

bool is_byte(const ordered_json& value) {
  return value.is_number_integer() && value.get<int64_t>() >= -128 && value.get<int64_t>() <= 255;
}

// Removes sequences like ESC [ 3 1 m.
std::string without_colours(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b' || i + 1 >= text.size() || text[i + 1] != '[') {
      out += text[i];
      continue;
    }
    i += 2;
    while (i < text.size() && !is_letter(text[i])) ++i;
  }
  return out;
}

void read_bytes(ordered_json& value) {
  if (value.is_array() && !value.empty() && std::ranges::all_of(value, is_byte)) {
    std::string bytes;
    for (const ordered_json& byte : value) bytes += static_cast<char>(byte.get<int64_t>());
    value = without_colours(bytes);
  } else if (value.is_structured()) {
    for (ordered_json& inner : value) read_bytes(inner);
  }
}

bool may_hold_bytes(std::string_view line) {
  for (size_t at = line.find('['); at != line.npos; at = line.find('[', at + 1)) {
    const size_t next = line.find_first_not_of(" \t[", at);
    if (next != line.npos && (is_digit(line[next]) || line[next] == '-')) return true;
  }
  return false;
}

}  // namespace

std::string readable_journal(std::string_view journal) {
  std::string out;
  out.reserve(journal.size());
  while (!journal.empty()) {
    const std::string_view line = take_until(journal, '\n');
    if (!may_hold_bytes(line)) {
      out.append(line).append("\n");
      continue;
    }
    if (nested_too_deeply(line)) continue;
    ordered_json entry = ordered_json::parse(line, nullptr, false);
    if (entry.is_discarded()) continue;
    read_bytes(entry);
    out += entry.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  }
  return out;
}

}  // namespace sunup::collect
