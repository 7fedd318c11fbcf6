#include "controller/hotfix_pointer.h"

#include "base/json_writer.h"
#include "base/text.h"
#include "base/version.h"
#include "report/json_reader.h"
#include "report/quoted.h"

namespace sunup::controller {
namespace {

using report::JsonValue;

Error wrong_type(const std::string& member, const JsonValue& value) {
  return Error("member " + member + " is " + std::string(value.kind_name()) + ", which is the wrong type");
}

Result<std::map<std::string, std::string>> read_hotfixes(const JsonValue& value) {
  std::map<std::string, std::string> out;
  if (value.kind == JsonValue::Kind::kNull) return out;
  if (value.kind != JsonValue::Kind::kObject) return wrong_type("hotfixes", value);
  for (const auto& [base, version] : value.members) {
    if (version.kind != JsonValue::Kind::kString && version.kind != JsonValue::Kind::kNull)
      return wrong_type("hotfixes." + base, version);
    out[base] = version.text;
  }
  return out;
}

Result<Version> parse_version(std::string_view what, std::string_view text) {
  auto version = Version::parse(trimmed(text));
  if (version) return *version;
  return Error("parsing " + std::string(what) + " version " + report::quoted(text) + ": invalid semantic version");
}

}  // namespace

Result<HotfixPointer> parse_pointer(std::string_view text) {
  HotfixPointer pointer;
  if (trimmed(text).empty()) return pointer;
  const auto json = report::parse_json(text);
  if (!json) return json.error();
  if (json->kind != JsonValue::Kind::kObject && json->kind != JsonValue::Kind::kNull)
    return Error("the pointer is " + std::string(json->kind_name()) + ", not an object");
  for (const auto& [name, value] : json->members) {
    std::string* const text_member = report::same_name(name, "version")           ? &pointer.version
                                     : report::same_name(name, "scripts_version") ? &pointer.scripts_version
                                                                                  : nullptr;
    if (text_member != nullptr && value.kind != JsonValue::Kind::kNull) {
      if (value.kind != JsonValue::Kind::kString) return wrong_type(name, value);
      *text_member = value.text;
    } else if (report::same_name(name, "hotfixes")) {
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
  const auto json = report::parse_json(node_config);
  if (!json) return json.error();
  Found found;
  for (const auto& [name, value] : json->members) {
    if (!report::same_name(name, "hotfixes")) continue;
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

bool passes_gate(Node& node, const std::string& wanted, std::string_view what) {
  if (wanted.empty()) return false;
  const auto newer = is_hotfix_for(node.version, wanted);
  if (!newer) {
    node.log.warn("failed to compare versions, skipping hotfix", {{"what", what}, {"error", newer.error().what}});
    return false;
  }
  if (!*newer)
    node.log.info("no hotfix for this version", {{"what", what}, {"current", node.version}, {"wanted", wanted}});
  return *newer;
}

}  // namespace sunup::controller
