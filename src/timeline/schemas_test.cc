// The formats that other programs read, checked against their published definitions.
//
// OTLP: the messages of opentelemetry-proto (tests/timeline/schemas/otlp_trace.proto), read by protobuf's own JSON
// reader, with the deviations of the OTLP specification's "JSON Protobuf Encoding": ids in hex, enums as numbers.
// Perfetto: the document "Trace Event Format", which has no machine-readable schema; kPhases contains its text as a
// table.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/base64.h"
#include "timeline/formats.h"
#include "timeline/test_run.h"

namespace sunup::timeline {
namespace {

namespace fs = std::filesystem;
namespace pb = google::protobuf;
using nlohmann::json;
using testing::MatchesRegex;

const fs::path kTests = fs::path(SUNUP_SOURCE_DIR) / "tests/timeline";

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Every recorded boot (golden_test.cc compares these files with the actual output) and a run with all kinds of content.
std::vector<std::pair<std::string, json>> all(const char* expected, std::string (*show)(const Timeline&)) {
  std::vector<std::pair<std::string, json>> found{{"made", json::parse(show(made(30)))}};
  for (const auto& entry : fs::directory_iterator(kTests / "cases"))
    found.emplace_back(entry.path().filename().string(), json::parse(text_of(entry.path() / expected)));
  return found;
}

class OtlpSchema {
 public:
  OtlpSchema() {
    pb::FileDescriptorSet files;
    EXPECT_TRUE(files.ParseFromString(text_of(SUNUP_OTLP_DESCRIPTORS)));
    for (const pb::FileDescriptorProto& file : files.file()) EXPECT_NE(pool_.BuildFile(file), nullptr);
  }

  // Describes what is wrong with a request in plain protobuf JSON; empty if it is valid.
  std::string wrong(const json& request) {
    const pb::Descriptor* type = pool_.FindMessageTypeByName("otlp.ExportTraceServiceRequest");
    const std::unique_ptr<pb::Message> message(factory_.GetPrototype(type)->New());
    return pb::util::JsonStringToMessage(request.dump(), message.get()).ToString();
  }

 private:
  pb::DescriptorPool pool_;
  pb::DynamicMessageFactory factory_{&pool_};
};

// Converts OTLP's JSON to protobuf's: ids become base64. Reports constructs that protobuf allows and OTLP forbids.
void to_plain(json& node, const std::string& where) {
  if (node.is_array()) {
    for (json& item : node) to_plain(item, where);
    return;
  }
  if (!node.is_object()) return;
  for (auto& [key, value] : node.items()) {
    EXPECT_EQ(key.find('_'), std::string::npos) << where << ": names are lowerCamelCase: " << key;
    if (key == "traceId" || key == "spanId" || key == "parentSpanId") {
      const size_t digits = key == "traceId" ? 32 : 16;
      const std::string id = value.get<std::string>();
      EXPECT_THAT(id, MatchesRegex("[0-9a-f]+"));
      EXPECT_EQ(id.size(), digits);
      EXPECT_NE(id, std::string(digits, '0'));
      std::string bytes;
      for (size_t i = 0; i + 1 < id.size(); i += 2) bytes += static_cast<char>(std::stoi(id.substr(i, 2), nullptr, 16));
      value = base64_encode(bytes);
    } else if (key == "kind" || key == "code") {
      EXPECT_TRUE(value.is_number_integer()) << where << ": enums are numbers";
    } else if (key.ends_with("UnixNano")) {
      EXPECT_TRUE(value.is_string()) << where << ": 64-bit numbers are decimal strings";
    } else {
      to_plain(value, fmt::format("{}.{}", where, key));
    }
  }
}

TEST(Otlp, IsARequestOfThePublishedSchema) {
  OtlpSchema schema;
  for (auto& [name, request] : all("expected.otlp.json", as_otlp)) {
    to_plain(request, name);
    EXPECT_EQ(schema.wrong(request), "OK") << name;
  }
}

TEST(Otlp, SchemaRefusesWhatIsNotInIt) {
  OtlpSchema schema;
  EXPECT_EQ(schema.wrong(json::parse(R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"kind":1}]}]}]})")), "OK");
  for (const char* bad : {R"({"spans":[]})", R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"spanid":"AAAA"}]}]}]})",
                          R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"startTimeUnixNano":"soon"}]}]}]})",
                          R"({"resourceSpans":[{"resource":{"attributes":"a"}}]})",
                          R"({"resourceSpans":[{"resource":{"attributes":[{"key":"a","value":"text"}]}}]})"})
    EXPECT_NE(schema.wrong(json::parse(bad)), "OK") << bad;
}

void check_keys(const json& attributes, const std::string& where) {
  std::set<std::string> keys;
  for (const json& attribute : attributes) EXPECT_TRUE(keys.insert(attribute.at("key")).second) << where;
}

// Requirements in the comments of the schema, which its types cannot express.
TEST(Otlp, KeepsWhatTheSchemaSaysInWords) {
  for (const auto& [name, request] : all("expected.otlp.json", as_otlp)) {
    std::set<std::string> ids;
    std::set<std::string> parents;
    for (const json& resource : request.at("resourceSpans")) {
      check_keys(resource.at("resource").at("attributes"), name);
      for (const json& scope : resource.at("scopeSpans")) {
        for (const json& span : scope.at("spans")) {
          EXPECT_TRUE(ids.insert(span.at("spanId")).second) << name << ": span ids are unique";
          if (span.contains("parentSpanId")) parents.insert(span["parentSpanId"].get<std::string>());
          EXPECT_FALSE(span.at("name").get<std::string>().empty()) << name;
          EXPECT_LE(std::stoll(span.at("startTimeUnixNano").get<std::string>()),
                    std::stoll(span.at("endTimeUnixNano").get<std::string>()))
              << name;
          check_keys(span.at("attributes"), name);
          for (const json& event : span.at("events")) {
            EXPECT_FALSE(event.at("name").get<std::string>().empty()) << name;
            check_keys(event.at("attributes"), name);
          }
        }
      }
    }
    for (const std::string& parent : parents) EXPECT_TRUE(ids.contains(parent)) << name;
  }
  EXPECT_EQ(as_otlp(made(30)), as_otlp(made(30))) << "sending a run twice must not make it two";
}

// The event phases that the output uses: the members that an event must have, and those that it may have.
struct Phase {
  std::set<std::string> must;
  std::set<std::string> may;
};
const std::map<std::string, Phase> kPhases = {
    {"X", {{"ph", "name", "cat", "pid", "tid", "ts", "dur"}, {"tts", "tdur", "args", "cname", "sf", "esf"}}},
    {"i", {{"ph", "name", "cat", "pid", "tid", "ts", "s"}, {"tts", "args", "cname", "sf"}}},
    {"M", {{"ph", "name", "pid", "args"}, {"tid", "cat", "ts"}}},
};
const std::set<std::string> kMetadata = {"process_name", "process_labels", "process_sort_index", "thread_name",
                                         "thread_sort_index"};

void check_event(const json& event, const std::string& where) {
  const auto phase = kPhases.find(event.at("ph").get<std::string>());
  ASSERT_NE(phase, kPhases.end()) << where << ": " << event.dump();
  for (const std::string& member : phase->second.must)
    EXPECT_TRUE(event.contains(member)) << where << " lacks " << member << ": " << event.dump();
  for (const auto& [key, value] : event.items()) {
    EXPECT_TRUE(phase->second.must.contains(key) || phase->second.may.contains(key)) << where << ": " << key;
    if (key == "pid" || key == "tid") {
      EXPECT_TRUE(value.is_number_integer()) << where;
    } else if (key == "ts" || key == "dur") {
      EXPECT_TRUE(value.is_number()) << where;
      EXPECT_GE(value.get<double>(), 0) << where << ": " << key;
    } else if (key == "args") {
      EXPECT_TRUE(value.is_object()) << where;
    } else {
      EXPECT_TRUE(value.is_string()) << where << ": " << key;
    }
  }
  if (phase->first == "i") {
    EXPECT_THAT(event["s"].get<std::string>(), testing::AnyOf("g", "p", "t")) << where;
  }
  if (phase->first == "M") {
    EXPECT_TRUE(kMetadata.contains(event["name"])) << where;
    const bool sorts = event["name"].get<std::string>().ends_with("sort_index");
    EXPECT_TRUE(sorts ? event["args"]["sort_index"].is_number_integer() : event["args"]["name"].is_string()) << where;
  }
}

TEST(Perfetto, IsATraceOfThePublishedFormat) {
  for (const auto& [name, trace] : all("expected.perfetto.json", as_perfetto)) {
    ASSERT_TRUE(trace.at("traceEvents").is_array()) << name;
    EXPECT_THAT(trace.at("displayTimeUnit").get<std::string>(), testing::AnyOf("ms", "ns"));
    std::map<int, std::vector<std::pair<double, double>>> threads;
    for (const json& event : trace["traceEvents"]) {
      check_event(event, name);
      if (event["ph"] == "X")
        threads[event["tid"]].emplace_back(event["ts"], event["ts"].get<double>() + event["dur"].get<double>());
    }
    // Complete events of one thread must nest; in this output they do not even overlap.
    for (auto& [thread, spans] : threads) {
      std::ranges::sort(spans);
      for (size_t i = 1; i < spans.size(); ++i) EXPECT_LE(spans[i - 1].second, spans[i].first + 1e-6) << name << thread;
    }
  }
}

}  // namespace
}  // namespace sunup::timeline
