#include "collect/log_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_nesting.h"
#include "base/text.h"
#include "report/log.h"

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

constexpr const char* kLogMembers[] = {"time", "level", "msg", "task"};
constexpr std::string_view kMessages[] = {report::messages::kStarted, report::messages::kProvisionedAlready,
                                          report::messages::kFailed, report::messages::kSucceeded};

ordered_json only_facts(const ordered_json& object) {
  ordered_json out = ordered_json::object();
  for (const char* member : kLogMembers)
    if (const auto found = object.find(member); found != object.end() && found->is_string()) out[member] = *found;
  return out;
}

std::string text_of(const ordered_json& object) {
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

template <class Visit>
void each_object(std::string_view lines, Visit visit) {
  while (!lines.empty()) {
    const std::string_view text = take_until(lines, '\n');
    if (nested_too_deeply(text)) continue;
    auto line = ordered_json::parse(text, nullptr, false);
    if (line.is_object()) visit(line);
  }
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

std::string reduced_log(std::string_view log) {
  std::string out;
  each_object(log, [&out](const ordered_json& line) {
    const auto message = line.find("msg");
    if (message == line.end() || !message->is_string()) return;
    if (std::ranges::find(kMessages, message->get<std::string>()) != std::end(kMessages))
      out += text_of(only_facts(line));
  });
  return out;
}

std::string reduced_record(std::string_view record) {
  std::string out;
  each_object(record, [&out](ordered_json& line) {
    // A reader treats a step with an error as a failed one.
    static const ordered_json kNoError = "";
    if (line.contains("error") && line["error"] != kNoError) line["error"] = "left out";
    const auto event = line.find("e");
    if (event != line.end() && (*event == "note" || *event == "retry" || *event == "journal"))
      line["text"] = "left out";
    out += text_of(line);
  });
  return out;
}

}  // namespace sunup::collect
