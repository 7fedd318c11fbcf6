#include "fleet/launch/batch.h"

#include "base/json_writer.h"
#include "fleet/resolve/launch_template.h"
#include "fleet/sources/patterns.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

// Texts with their lengths before them, so that no two values look the same.
void append_text(std::string& key, std::string_view text) {
  key.append(std::to_string(text.size())).append(1, ':').append(text);
}

void append_value(std::string& key, const json& value) {
  if (value.is_string()) {
    append_text(key, value.get_ref<const std::string&>());
  } else if (value.is_structured()) {
    key += value.is_object() ? '{' : '[';
    if (value.is_object()) {
      for (const auto& [name, member] : value.get_ref<const json::object_t&>()) {
        append_text(key, name);
        append_value(key, member);
      }
    } else {
      for (const json& item : value) append_value(key, item);
    }
    key += '}';
  } else {
    key.append(value.dump()).append(1, ',');
  }
}

// Everything of a claim that its template, warnings included, can depend on: all of it but its name and the rest of the
// metadata. Annotations are for controllers, whatever they say; only what is no map is refused.
std::string kind_of_claim(const json& claim) {
  std::string key;
  for (const auto& [member, value] : claim.get_ref<const json::object_t&>()) {
    append_text(key, member);
    if (member != "metadata") {
      append_value(key, value);
      continue;
    }
    for (const std::string_view name : {"labels", "annotations"}) {
      const auto it = value.find(name);
      if (it == value.end() || (name == "annotations" && it->is_object())) continue;
      append_text(key, name);
      append_value(key, *it);
    }
  }
  return key;
}

void append_failure(std::string& out, size_t number, std::string_view claim, std::string_view why) {
  JsonWriter json;
  json.begin_object();
  if (number > 0) json.raw_member("line", std::to_string(number));
  json.member("nodeClaim", claim);
  json.member("error", why);
  json.end_object();
  out += std::move(json).take();
}

}  // namespace

Result<std::string> Batch::make_tail(const Document& doc) {
  Findings findings;
  const auto claim = read_node_claim(doc, findings);
  if (!claim) {
    std::string errors = describe(findings, Severity::kError);
    errors.erase(errors.find_last_not_of('\n') + 1);
    return Error(std::move(errors));
  }
  auto node = catalog_.resolve(resolver_, *claim, kinds_);
  if (!node) return std::move(node).error();
  for (Finding& finding : findings) node->warnings.push_back(std::move(finding));
  const auto made = make_launch_template(*node);
  if (!made) return made.error();
  return launch_template_tail(*node, *made);
}

bool Batch::resolve(std::string_view line, std::string& out, size_t number) {
  auto doc = read_json_document(line);
  if (!doc || !doc->value.is_object()) {
    append_failure(out, number, "", doc ? "a claim must be a JSON object" : doc.error().what);
    return false;
  }
  const std::string name = doc->name();
  // What a remembered tail says nothing of: a name that is refused.
  const bool named = is_object_name(name) && fits_vm_name(name);
  std::string kind = named ? kind_of_claim(doc->value) : std::string();
  if (const auto known = tails_.find(kind); known != tails_.end()) {
    out.append(launch_template_head(name)).append(known->second);
    return true;
  }
  auto tail = make_tail(*doc);
  if (!tail) {
    append_failure(out, number, name, tail.error().what);
    return false;
  }
  out.append(launch_template_head(name)).append(*tail);
  if (seen_.size() >= kSeen) seen_.clear();
  if (seen_.insert(std::hash<std::string>()(kind)).second) return true;
  if (tails_.size() >= kRemembered) tails_.clear();
  tails_.emplace(std::move(kind), *std::move(tail));
  return true;
}

}  // namespace sunup::fleet
