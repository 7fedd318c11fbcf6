#include "controller/hotfix_pointer.h"

#include "base/json_tree.h"
#include "base/json_writer.h"
#include "base/quoted.h"
#include "base/text.h"
#include "base/version.h"

namespace sunup::controller {
namespace {

Error wrong_type(const std::string& member, const JsonNode& value) {
  return Error("member " + member + " is " + std::string(value.kind_name()) + ", which is the wrong type");
}

Result<std::map<std::string, std::string>> read_hotfixes(const JsonNode& value) {
  std::map<std::string, std::string> out;
  if (value.is_null()) return out;
  if (!value.is_object()) return wrong_type("hotfixes", value);
  for (const JsonNode& version : value) {
    if (!version.is_string() && !version.is_null()) return wrong_type("hotfixes." + version.name, version);
    out[version.name] = version.is_string() ? version.text : "";
  }
  return out;
}

Result<Version> parse_version(std::string_view what, std::string_view text) {
  auto version = Version::parse(trimmed(text));
  if (version) return *version;
  return Error("parsing " + std::string(what) + " version " + go_quoted(text) + ": invalid semantic version");
}

}  // namespace

Result<HotfixPointer> parse_pointer(std::string_view text) {
  HotfixPointer pointer;
  if (trimmed(text).empty()) return pointer;
  const auto json = JsonTree::parse(text);
  if (!json) return json.error();
  const JsonNode& root = json->root();
  if (root.is_null()) return pointer;
  if (!root.is_object()) return Error("the pointer is " + std::string(root.kind_name()) + ", not an object");
  for (const JsonNode& value : root) {
    std::string* const text_member = equal_ignoring_case(value.name, "version")           ? &pointer.version
                                     : equal_ignoring_case(value.name, "scripts_version") ? &pointer.scripts_version
                                                                                          : nullptr;
    if (text_member != nullptr && !value.is_null()) {
      if (!value.is_string()) return wrong_type(value.name, value);
      *text_member = value.text;
    } else if (equal_ignoring_case(value.name, "hotfixes")) {
      auto hotfixes = read_hotfixes(value);
      if (!hotfixes) return hotfixes.error();
      pointer.hotfixes = std::move(*hotfixes);
    }
  }
  return pointer;
}

std::string to_json(const HotfixPointer& pointer) {
  JsonWriter json;
  json.begin_object();
  if (!pointer.version.empty()) json.member("version", pointer.version);
  if (!pointer.scripts_version.empty()) json.member("scripts_version", pointer.scripts_version);
  json.key("hotfixes");
  json.begin_object();
  for (const auto& [base, version] : pointer.hotfixes) json.member(base, version);
  json.end_object();
  json.end_object();
  return std::move(json).take();
}

Result<std::optional<std::map<std::string, std::string>>> cold_start_hotfixes(std::string_view node_config) {
  using Found = std::optional<std::map<std::string, std::string>>;
  const auto json = JsonTree::parse(node_config);
  if (!json) return json.error();
  Found found;
  if (!json->root().is_object()) return found;
  for (const JsonNode& value : json->root()) {
    if (!equal_ignoring_case(value.name, "hotfixes")) continue;
    auto hotfixes = read_hotfixes(value);
    if (!hotfixes) return hotfixes.error();
    found = hotfixes->empty() ? Found() : Found(std::move(*hotfixes));
  }
  return found;
}

std::optional<std::string> base_of(std::string_view version) {
  version = trimmed(version);
  const size_t first = version.find('.');
  const size_t second = first == std::string_view::npos ? first : version.find('.', first + 1);
  if (first == 0 || second == std::string_view::npos || second == first + 1 || second + 1 == version.size())
    return std::nullopt;
  return std::string(version.substr(0, second));
}

std::string wanted_version(const HotfixPointer& pointer, std::string_view own_version) {
  if (pointer.hotfixes.empty()) return std::string(trimmed(pointer.version));
  const auto base = base_of(own_version);
  const auto entry = base ? pointer.hotfixes.find(*base) : pointer.hotfixes.end();
  return entry == pointer.hotfixes.end() ? "" : std::string(trimmed(entry->second));
}

Result<bool> is_hotfix_for(std::string_view own_version, std::string_view wanted) {
  const auto own = parse_version("current", own_version);
  if (!own) return own.error();
  const auto other = parse_version("hotfix", wanted);
  if (!other) return other.error();
  return own->major == other->major && own->minor == other->minor && other->patch > own->patch;
}

}  // namespace sunup::controller
