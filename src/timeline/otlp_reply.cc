#include "timeline/otlp_reply.h"

#include <charconv>
#include <nlohmann/json.hpp>

namespace sunup::timeline {

std::optional<Refusal> refusal_of(std::string_view body) {
  const auto reply = nlohmann::json::parse(body, nullptr, false);
  if (!reply.is_object()) return std::nullopt;
  const auto partial = reply.find("partialSuccess");
  if (partial == reply.end() || !partial->is_object()) return std::nullopt;
  Refusal refusal;
  // The JSON format of protobuf writes 64-bit integers as strings; some collectors write numbers.
  if (const auto spans = partial->find("rejectedSpans"); spans != partial->end()) {
    if (spans->is_number_integer()) refusal.spans = spans->get<int64_t>();
    if (spans->is_string()) {
      const auto& text = spans->get_ref<const std::string&>();
      std::from_chars(text.data(), text.data() + text.size(), refusal.spans);
    }
  }
  if (const auto message = partial->find("errorMessage"); message != partial->end() && message->is_string())
    refusal.message = message->get<std::string>();
  if (refusal.spans <= 0 && refusal.message.empty()) return std::nullopt;
  return refusal;
}

}  // namespace sunup::timeline
