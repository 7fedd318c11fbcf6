#include "contract/explain.h"

#include <algorithm>

#include "base/text.h"
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

// "maxPods", "max_pods" and "MAX_PODS" become max and pods.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  bool after_small = false;
  for (const char c : name) {
    const bool capital = to_lower(c) != c;
    if (c == '_' || (capital && after_small)) words.emplace_back();
    if (c != '_') words.back() += to_lower(c);
    after_small = c != '_' && !capital;
  }
  std::erase(words, "");
  return words;
}

// Whether every word of `some` is among `all`. A long word may be the beginning of the other: "cert" of "certificates".
bool are_among(const std::vector<std::string>& some, const std::vector<std::string>& all) {
  constexpr size_t kLong = 4;
  return std::ranges::all_of(some, [&](const std::string& word) {
    return std::ranges::any_of(all, [&](const std::string& other) {
      return word == other || (word.size() >= kLong && other.starts_with(word));
    });
  });
}

// Fields whose name is a likely typo of the question, has all its words, or is a part of it that has several words.
std::vector<std::string> like(std::string_view question) {
  constexpr size_t kMostTypos = 3, kShortestWord = 3, kLongestName = 100;
  const std::string_view leaf = question.substr(question.rfind('.') + 1);
  if (leaf.size() < kShortestWord || leaf.size() > kLongestName) return {};
  const std::vector<std::string> asked = words_of(leaf);
  const size_t limit = std::clamp<size_t>(leaf.size() / 3, 1, kMostTypos);
  std::vector<std::pair<size_t, std::string>> near;
  for (const FieldDoc& doc : field_docs()) {
    const size_t distance = name_distance(leaf, doc.name());
    const std::vector<std::string> known = words_of(doc.name());
    if (distance <= limit || are_among(asked, known) || (known.size() > 1 && are_among(known, asked)))
      near.emplace_back(distance, doc.path);
  }
  std::ranges::stable_sort(near, {}, &std::pair<size_t, std::string>::first);
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
