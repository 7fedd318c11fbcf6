#include "fleet/launch/batch.h"

#include "base/json_writer.h"
#include "fleet/sources/patterns.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

// Each text follows its length, so that no two values have the same key.
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

// Everything in a claim that its launch template and warnings can depend on: all of it but its name and the rest of the
// metadata. Annotations have no effect; they are only checked to be a map.
std::string all_but_name(const json& claim) {
  std::string key;
  key.reserve(2048);
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

// Without a copy if there is nothing before it.
void append(std::string& out, std::string&& text) {
  if (out.empty())
    out = std::move(text);
  else
    out += text;
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

const KindLaunch& Batch::launch_of(const std::shared_ptr<const NodeKind>& kind) {
  if (const auto known = launches_.find(kind); known != launches_.end()) return known->second;
  if (launches_.size() >= KindCache::kRemembered) launches_.clear();
  return launches_.emplace(kind, KindLaunch(*kind)).first->second;
}

Result<Batch::Made> Batch::make(const Document& doc) {
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
  auto launch = make_launch_template(*node, launch_of(node->kind), results_);
  if (!launch) return std::move(launch).error();
  return Made{*std::move(node), *std::move(launch)};
}

bool Batch::resolve(std::string_view line, std::string& out, size_t number) {
  auto doc = read_json_document(line);
  if (!doc || !doc->value.is_object()) {
    append_failure(out, number, "", doc ? "a claim must be a JSON object" : doc.error().what);
    return false;
  }
  const std::string name = doc->name();
  // A name that is refused is not part of the key, so such a claim is never remembered.
  const bool named = is_object_name(name) && fits_vm_name(name);
  std::string key = named ? all_but_name(doc->value) : std::string();
  if (const auto known = made_.find(key); known != made_.end()) {
    known->second.node.claim = name;
    known->second.node.vm_name = vm_name(name);
    append(out, launch_template_json(known->second.node, known->second.launch));
    return true;
  }
  auto made = make(*doc);
  if (!made) {
    append_failure(out, number, name, made.error().what);
    return false;
  }
  append(out, launch_template_json(made->node, made->launch));
  if (seen_.size() >= kSeen) seen_.clear();
  if (seen_.insert(std::hash<std::string>()(key)).second) return true;
  if (made_.size() >= kRemembered) made_.clear();
  made_.emplace(std::move(key), *std::move(made));
  return true;
}

}  // namespace sunup::fleet
