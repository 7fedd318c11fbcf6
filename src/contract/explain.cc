#include "contract/explain.h"

#include <algorithm>

#include "contract/nearest.h"

namespace sunup::contract {
namespace {

constexpr size_t kMostSuggestions = 5;

// Uses the spelling of the contract: "node-labels" becomes node_labels.
std::string spelled(std::string_view name) {
  std::string out(name);
  std::ranges::replace(out, '-', '_');
  return out;
}

std::vector<std::string> like(std::string_view question) {
  const size_t dot = question.rfind('.');
  const std::string_view leaf = dot == std::string_view::npos ? question : question.substr(dot + 1);
  const size_t limit = std::max<size_t>(2, leaf.size() / 3);
  std::vector<std::pair<size_t, std::string>> near;
  for (const FieldDoc& doc : field_docs()) {
    const size_t distance = name_distance(leaf, doc.name());
    const bool contained = leaf.size() >= 3 && doc.path.find(leaf) != std::string::npos;
    if (distance <= limit || contained) near.emplace_back(std::min(distance, contained ? limit : distance), doc.path);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> out;
  for (size_t i = 0; i < near.size() && i < kMostSuggestions; ++i) out.push_back(near[i].second);
  return out;
}

// Below a map a field name is also a valid key: "vnet_dns_overrides.protocol" may mean a domain or the setting. It is
// taken as the setting, because a question about the user's own domain is unlikely.
const FieldDoc* part_of_map(const FieldDoc& map, std::string_view question) {
  const std::string path = map.path + ".*." + spelled(question.substr(question.rfind('.') + 1));
  const auto part = std::ranges::find(field_docs(), path, &FieldDoc::path);
  return part == field_docs().end() ? nullptr : &*part;
}

}  // namespace

std::vector<std::string> variables_of(const FieldDoc& doc) {
  std::vector<std::string> out = doc.variables;
  for (const FieldDoc& part : field_docs()) {
    if (!part.path.starts_with(doc.path + ".")) continue;
    for (const std::string& variable : part.variables)
      if (std::ranges::find(out, variable) == out.end()) out.push_back(variable);
  }
  return out;
}

bool is_variable(std::string_view name, std::string_view documented) {
  constexpr std::string_view kCounted = "<i>";
  if (!documented.ends_with(kCounted)) return name == documented;
  documented.remove_suffix(kCounted.size());
  if (!name.starts_with(documented)) return false;
  name.remove_prefix(documented.size());
  return name == kCounted || (!name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos);
}

Answer find_field(std::string_view question) {
  Answer answer;
  if (question.starts_with('$')) question.remove_prefix(1);
  if (question.starts_with('.')) question.remove_prefix(1);
  if (const FieldDoc* doc = doc_of_path(question)) {
    const FieldDoc* part = doc->field->is_map() ? part_of_map(*doc, question) : nullptr;
    answer.fields.push_back(part ? part : doc);
    return answer;
  }
  if (question.starts_with("--")) question = "kubelet_config.kubelet_flags";
  if (question.starts_with('/')) {
    for (const FieldDoc& doc : field_docs())
      if (std::ranges::find(doc.files, question) != doc.files.end()) answer.fields.push_back(&doc);
    return answer;
  }
  // The last part of a path, or several of its last parts, in snake_case or JSON spelling.
  const std::string tail = "." + spelled(question);
  for (const FieldDoc& doc : field_docs())
    if (("." + doc.path).ends_with(tail) || doc.field->json_name == question) answer.fields.push_back(&doc);
  if (answer.fields.empty())
    for (const FieldDoc& doc : field_docs())
      if (std::any_of(doc.variables.begin(), doc.variables.end(),
                      [&](const std::string& variable) { return is_variable(question, variable); }))
        answer.fields.push_back(&doc);
  if (answer.fields.empty()) answer.suggestions = like(spelled(question));
  return answer;
}

}  // namespace sunup::contract
