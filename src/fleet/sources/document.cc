#include "fleet/sources/document.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <set>
#include <vector>

#include "base/input.h"
#include "base/json_member.h"
#include "base/json_reader.h"
#include "base/text.h"
#include "fleet/sources/bounds.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

// A plain scalar by the core schema of YAML 1.2. Sexagesimals, yes/no and octals of YAML 1.1 intentionally stay text: a
// label value `on` or a quoted version `1.30` must not change its type.
json plain_scalar(const std::string& text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") return nullptr;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  if (const auto whole = as_number<int64_t>(text)) return *whole;
  if (text.find_first_not_of("0123456789+-.eE") == std::string::npos)
    if (const auto real = as_number<double>(text)) return *real;
  return text;
}

void convert_members(const YAML::Node& node, const std::string& path, bool merged, json& map, Document& doc);

json convert(const YAML::Node& node, const std::string& path, Document& doc) {
  if (node.Mark().line >= 0 && !path.empty()) doc.lines.emplace(path, node.Mark().line + 1);
  switch (node.Type()) {
    case YAML::NodeType::Undefined:
    case YAML::NodeType::Null:
      return nullptr;
    case YAML::NodeType::Scalar: {
      if (node.Tag() == "!" || node.Tag() == "tag:yaml.org,2002:str") return node.Scalar();
      json value = plain_scalar(node.Scalar());
      if (value.is_number() && value.dump() != node.Scalar()) doc.as_written.emplace(path, node.Scalar());
      return value;
    }
    case YAML::NodeType::Sequence: {
      json list = json::array();
      for (size_t i = 0; i < node.size(); ++i) list.push_back(convert(node[i], fmt::format("{}[{}]", path, i), doc));
      return list;
    }
    case YAML::NodeType::Map: {
      json map = json::object();
      convert_members(node, path, /*merged=*/false, map, doc);
      return map;
    }
  }
  return nullptr;
}

// Whether this key is the `<<` that merges the members of another map. In quotes it is an ordinary name.
bool is_merge_key(const YAML::Node& key) {
  return key.Scalar() == "<<" && key.Tag() != "!";
}

void convert_members(const YAML::Node& node, const std::string& path, bool merged, json& map, Document& doc) {
  std::vector<YAML::Node> others;
  std::set<std::string> own;
  for (const auto& item : node) {
    if (!item.first.IsScalar()) throw YAML::RepresentationException(item.first.Mark(), "the key of a map must be text");
    if (is_merge_key(item.first)) {
      const bool list = item.second.IsSequence();
      for (size_t i = 0; i < (list ? item.second.size() : 1); ++i) {
        others.push_back(list ? item.second[i] : item.second);
        if (!others.back().IsMap()) throw YAML::RepresentationException(item.first.Mark(), "'<<' can only merge maps");
      }
      continue;
    }
    const std::string key = item.first.Scalar();
    const std::string child = path.empty() ? key : path + "." + key;
    if (!own.insert(key).second)
      throw YAML::RepresentationException(item.first.Mark(), fmt::format("'{}' is given twice", child));
    if (merged && (map.contains(key) || doc.nulls.contains(child))) continue;  // the first value is kept
    doc.lines[child] = item.first.Mark().line + 1;  // the line of the key is more useful than that of the value
    json value = convert(item.second, child, doc);
    if (value.is_null())
      doc.nulls[child] = {path, key};  // null means "not set", as in the API
    else
      map[key] = std::move(value);
  }
  for (const YAML::Node& other : others) convert_members(other, path, /*merged=*/true, map, doc);
}

// Reads the value at the reader's position. null means "not set", as in the API.
bool read_value(JsonReader& in, json& value) {
  std::string_view text;
  switch (in.peek()) {
    case JsonKind::kObject: {
      value = json::object();
      auto& members = value.get_ref<json::object_t&>();
      return in.object([&](std::string_view key, size_t at) {
        const auto [member, is_new] = members.try_emplace(std::string(key));
        if (!is_new) return in.fail(at, fmt::format("'{}' is given twice", key));
        if (!read_value(in, member->second)) return false;
        if (member->second.is_null()) members.erase(member);
        return true;
      });
    }
    case JsonKind::kArray: {
      value = json::array();
      auto& items = value.get_ref<json::array_t&>();
      return in.array([&](size_t) { return read_value(in, items.emplace_back()); });
    }
    case JsonKind::kString:
      if (!in.string(text)) return false;
      value = std::string(text);
      return true;
    case JsonKind::kNumber: {
      const size_t at = in.offset();
      if (!in.number(text)) return false;
      value = json::parse(text, nullptr, /*allow_exceptions=*/false);
      return value.is_discarded() ? in.fail(at, "a number that is too large") : true;
    }
    case JsonKind::kTrue:
      value = true;
      return in.literal("true");
    case JsonKind::kFalse:
      value = false;
      return in.literal("false");
    case JsonKind::kNull:
    case JsonKind::kNone:
      return in.skip();
  }
  return false;
}

}  // namespace

std::string Document::kind() const {
  return text_of(value, "kind");
}
std::string Document::api_version() const {
  return text_of(value, "apiVersion");
}

std::string Document::name() const {
  return text_of(member_of(value, "metadata"), "name");
}

int Document::line(const std::string& path) const {
  for (std::string at = path; !at.empty();) {
    if (const auto it = lines.find(at); it != lines.end()) return it->second;
    const size_t cut = at.find_last_of(".[");
    at.resize(cut == std::string::npos ? 0 : cut);
  }
  return 0;
}

std::string Document::where(const std::string& path) const {
  const int known = line(path);
  if (known == 0) return file;
  return file.empty() ? fmt::format("line {}", known) : fmt::format("{}:{}", file, known);
}

Result<std::vector<Document>> read_documents(std::string_view text, std::string file) {
  const auto place = [&file](int line) {
    return file.empty() ? fmt::format("line {}", line) : fmt::format("{}:{}", file, line);
  };
  std::vector<Document> documents;
  try {
    const std::string stream(text);
    check_yaml_bounds(stream);
    for (const YAML::Node& root : YAML::LoadAll(stream)) {
      if (root.IsNull()) continue;  // an empty document between two separators
      Document doc;
      doc.file = file;
      doc.value = convert(root, "", doc);
      if (doc.value.is_object() && doc.value.contains("items") && doc.kind().ends_with("List")) {
        for (json& item : doc.value["items"]) documents.push_back({std::move(item), {}, file});
      } else {
        documents.push_back(std::move(doc));
      }
    }
  } catch (const YAML::Exception& error) {
    return Error(fmt::format("{}: {} (column {})", place(error.mark.line + 1), error.msg, error.mark.column + 1));
  }
  return documents;
}

Result<std::vector<Document>> read_document_file(const std::string& path) {
  const auto text = read_input(path);
  if (!text) return text.error();
  return read_documents(*text, input_name(path));
}

Result<Document> read_json_document(std::string_view line) {
  JsonReader in(line);
  Document doc;
  if (!read_value(in, doc.value) || !in.end())
    return Error(fmt::format("not a JSON value: {} (column {})", in.error(), in.position(in.error_offset()).column));
  return doc;
}

}  // namespace sunup::fleet
