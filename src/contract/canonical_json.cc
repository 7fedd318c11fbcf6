#include "contract/canonical_json.h"

#include <map>

#include "base/json_reader.h"
#include "base/json_writer.h"

namespace sunup::contract {
namespace {

std::string value(JsonReader& in, std::string_view json) {
  std::string_view text;
  switch (in.peek()) {
    case JsonKind::kObject: {
      std::map<std::string, std::string> members;
      in.object([&](std::string_view name, size_t) {
        const std::string key(name);  // the view is only valid until the next string is read
        members[key] = value(in, json);
        return !in.failed();
      });
      std::string out;
      for (const auto& [name, written] : members) out += (out.empty() ? "" : ",") + json_string(name) + ":" + written;
      return "{" + out + "}";
    }
    case JsonKind::kArray: {
      std::string out;
      in.array([&](size_t index) {
        out += (index == 0 ? "" : ",") + value(in, json);
        return !in.failed();
      });
      return "[" + out + "]";
    }
    case JsonKind::kString:
      in.string(text);
      return json_string(text);
    default: {
      const size_t start = in.offset();
      in.skip();
      return std::string(json.substr(start, in.offset() - start));
    }
  }
}

}  // namespace

std::string canonical_json(std::string_view json) {
  JsonReader in(json);
  return value(in, json);
}

}  // namespace sunup::contract
