#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/fnv.h"
#include "timeline/formats.h"

namespace sunup::timeline {
namespace {

using nlohmann::ordered_json;

// The same run always has the same ids, so that sending it twice has no effect. Never zero.
uint64_t hashed(std::string_view text, uint64_t seed) {
  const uint64_t hash = fnv1a_64(text, kFnvStart ^ seed);
  return hash == 0 ? 1 : hash;
}

ordered_json attribute(std::string_view key, std::string_view value) {
  return {{"key", key}, {"value", {{"stringValue", value}}}};
}
ordered_json flag(std::string_view key, bool value) {
  return {{"key", key}, {"value", {{"boolValue", value}}}};
}
ordered_json list_of(std::string_view key, const std::vector<std::string>& values) {
  ordered_json list = ordered_json::array();
  for (const std::string& value : values) list.push_back({{"stringValue", value}});
  return {{"key", key}, {"value", {{"arrayValue", {{"values", std::move(list)}}}}}};
}

class Export {
 public:
  explicit Export(const Timeline& timeline)
      : timeline_(timeline),
        offset_(timeline.wall_offset.value_or(0)),
        identity_(fmt::format("{}/{}/{}", timeline.boot, timeline.node, timeline.zero)),
        trace_(fmt::format("{:016x}{:016x}", hashed(identity_, 1), hashed(identity_, 2))),
        root_(span_id("provision")) {}

  std::string text() {
    ordered_json spans = ordered_json::array();
    spans.push_back(root());
    for (const Span& span : timeline_.spans)
      if (can_be_told(timeline_.start_of(span))) spans.push_back(child(span));
    ordered_json resource =
        ordered_json::array({attribute("service.name", "aks-node-controller"),
                             attribute("service.version", timeline_.version), attribute("host.name", timeline_.node),
                             attribute("sunup.boot_id", timeline_.boot), attribute("sunup.mode", timeline_.mode)});
    if (!timeline_.wall_offset) resource.push_back(attribute("sunup.clock", "monotonic"));
    ordered_json scope_spans{{"scope", {{"name", "sunup.timeline"}, {"version", "1"}}}, {"spans", std::move(spans)}};
    ordered_json resource_spans{{"resource", {{"attributes", std::move(resource)}}},
                                {"scopeSpans", ordered_json::array({std::move(scope_spans)})}};
    const ordered_json out{{"resourceSpans", ordered_json::array({std::move(resource_spans)})}};
    return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  }

 private:
  std::string span_id(std::string_view name) const {
    return fmt::format("{:016x}", hashed(name, hashed(identity_, 3)));
  }
  std::string nanos(Nanos at) const { return std::to_string(at + offset_); }

  // The format's times are unsigned; times before 1970 become 0.
  bool can_be_told(Nanos at) const { return at + offset_ >= 0; }

  ordered_json root() const {
    Nanos first = -offset_;
    Nanos last = -offset_;
    bool any = false;
    for (const Point& point : timeline_.points) {
      if (!can_be_told(point.at)) continue;
      first = any ? std::min(first, point.at) : point.at;
      last = any ? std::max(last, point.at) : point.at;
      any = true;
    }
    ordered_json events = ordered_json::array();
    for (const Row& row : rows(timeline_)) {
      if (row.milestone == nullptr || !can_be_told(row.milestone->at)) continue;
      events.push_back({{"timeUnixNano", nanos(row.milestone->at)},
                        {"name", row.milestone->label},
                        {"attributes", ordered_json::array({attribute("sunup.milestone", row.milestone->id),
                                                            attribute("sunup.source", row.milestone->source),
                                                            flag("sunup.critical", row.milestone->critical)})}});
    }
    std::vector<std::string> waits;
    for (const Link& link : timeline_.chain)
      waits.push_back(fmt::format(
          "{} {}: {}",
          short_duration(static_cast<double>(timeline_.points[link.to].at - timeline_.points[link.from].at) / 1e9),
          timeline_.points[link.to].label, link.waited_for));
    const bool failed = timeline_.state == RunState::kFailed;
    const int status = failed ? 2 : timeline_.state == RunState::kSucceeded ? 1 : 0;  // error, ok, unset
    return {{"traceId", trace_},
            {"spanId", root_},
            {"name", "provision"},
            {"kind", 1},
            {"startTimeUnixNano", nanos(first)},
            {"endTimeUnixNano", nanos(last)},
            {"attributes", ordered_json::array({attribute("sunup.state", to_string(timeline_.state)),
                                                attribute("sunup.exit_code", timeline_.exit_code),
                                                attribute("sunup.failed_step", timeline_.failed_step),
                                                list_of("sunup.critical_chain", waits)})},
            {"events", std::move(events)},
            {"status", {{"code", status}, {"message", failed ? timeline_.error : ""}}}};
  }

  ordered_json child(const Span& span) const {
    ordered_json events = ordered_json::array();
    for (const std::string& retry : span.retries)
      events.push_back({{"timeUnixNano", nanos(timeline_.start_of(span))},
                        {"name", "retry"},
                        {"attributes", ordered_json::array({attribute("sunup.text", retry)})}});
    const bool failed = span.state == SpanState::kFailed;
    return {{"traceId", trace_},
            {"spanId", span_id(timeline_.points[span.start].id)},
            {"parentSpanId", root_},
            {"name", span.name},
            {"kind", 1},
            {"startTimeUnixNano", nanos(timeline_.start_of(span))},
            {"endTimeUnixNano", nanos(timeline_.end_of(span))},
            {"attributes",
             ordered_json::array({attribute("sunup.kind", to_string(span.kind)),
                                  attribute("sunup.state", to_string(span.state)),
                                  flag("sunup.critical", span.critical), list_of("sunup.needs", span.needs),
                                  list_of("sunup.provides", span.provides), attribute("sunup.why", span.why)})},
            {"events", std::move(events)},
            {"status", {{"code", failed ? 2 : 0}, {"message", span.error}}}};
  }

  const Timeline& timeline_;
  const Nanos offset_;
  const std::string identity_;
  const std::string trace_;
  const std::string root_;
};

}  // namespace

std::string as_otlp(const Timeline& timeline) {
  return Export(timeline).text();
}

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
