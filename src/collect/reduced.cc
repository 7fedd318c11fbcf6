#include "collect/reduced.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/log.h"

namespace sunup::collect {
namespace {

using nlohmann::ordered_json;

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
    auto line = ordered_json::parse(take_until(lines, '\n'), nullptr, false);
    if (line.is_object()) visit(line);
  }
}

}  // namespace

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
