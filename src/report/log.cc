#include "report/log.h"

#include "base/json_writer.h"

namespace sunup::report {
namespace {

std::string_view name_of(Level level) {
  switch (level) {
    case Level::kInfo:
      return "INFO";
    case Level::kWarn:
      return "WARN";
    case Level::kError:
      return "ERROR";
  }
  return "INFO";
}

}  // namespace

void Log::append_text(std::string& record, std::string_view text) const {
  // Redaction comes before escaping, because an escaped value with a quote in it would not be recognized.
  if (redactor_ == nullptr || redactor_->empty()) return append_json_string(record, text, JsonEscapes::kText);
  append_json_string(record, redactor_->redact(text), JsonEscapes::kText);
}

void Log::write(Level level, std::string_view message, Attributes attributes) {
  std::string record = R"({"time":")" + log_time(now_());
  record += R"(","level":")";
  record += name_of(level);
  record += R"(","msg":)";
  append_text(record, message);
  for (const Attribute& attribute : attributes) {
    record += ',';
    append_json_string(record, attribute.key, JsonEscapes::kText);
    record += ':';
    if (const auto* text = std::get_if<std::string_view>(&attribute.value))
      append_text(record, *text);
    else if (const auto* number = std::get_if<int64_t>(&attribute.value))
      record += std::to_string(*number);
    else if (const auto* yes = std::get_if<bool>(&attribute.value))
      record += *yes ? "true" : "false";
    else
      record += "null";
  }
  record += "}\n";
  sink_(record);
}

}  // namespace sunup::report
