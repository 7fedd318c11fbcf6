#include "contract/nearest.h"

#include <algorithm>

#include "base/text.h"

namespace sunup::contract {
namespace {

// A longer name is not a typo of a field name, and would be slow to compare.
constexpr size_t kLongestName = 100;

// Maps snake_case and camelCase of a name to the same text.
std::string folded(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '_' || c == '-' || c == ' ') continue;
    out += to_lower(c);
  }
  return out;
}

size_t folded_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

struct KnownField {
  std::string folded_name;
  std::string path;
};

void walk(const MessageFields& fields, const std::string& prefix, std::vector<KnownField>& out) {
  for (const Field& field : fields.all()) {
    out.push_back({folded(field.name), prefix + std::string(field.name)});
    const std::string below = out.back().path + (field.is_map() ? ".*." : ".");
    if (field.message) walk(*field.message, below, out);
  }
}

const std::vector<KnownField>& known_fields() {
  static const auto kFields = [] {
    std::vector<KnownField> fields;
    walk(configuration_fields(), "", fields);
    return fields;
  }();
  return kFields;
}

}  // namespace

size_t name_distance(std::string_view left, std::string_view right) {
  return folded_distance(folded(left), folded(right));
}

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string_view>& known, size_t farthest) {
  if (name.empty() || name.size() > kLongestName) return std::nullopt;
  size_t best_distance = std::min(farthest, std::max<size_t>(1, name.size() / 3));
  std::optional<std::string> best;
  const std::string wanted = folded(name);
  for (const std::string_view candidate : known) {
    const std::string folded_candidate = folded(candidate);
    const size_t longer = std::max(wanted.size(), folded_candidate.size());
    if (longer - std::min(wanted.size(), folded_candidate.size()) > best_distance) continue;
    const size_t distance = folded_distance(wanted, folded_candidate);
    if (distance < best_distance || (distance == best_distance && !best)) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string nearest_field_hint(std::string_view name, const MessageFields& fields) {
  std::vector<std::string_view> known;
  for (const Field& field : fields.all()) known.push_back(field.name);
  if (const auto here = nearest(name, known)) return "did you mean \"" + *here + "\"?";

  if (name.size() > kLongestName) return "";
  const std::string wanted = folded(name);
  for (const KnownField& field : known_fields())
    if (field.folded_name == wanted) return "there is \"" + field.path + "\"; is it in the wrong place?";
  return "";
}

std::string nearest_enum_hint(std::string_view name, const EnumType& type) {
  std::vector<std::string_view> known;
  for (const EnumValue& value : type.values) known.push_back(value.name);
  // The values of a type share most of their letters: CILIUM is not a typo of CALICO.
  constexpr size_t kFarthest = 2;
  if (const auto here = nearest(name, known, kFarthest)) return "did you mean \"" + *here + "\"?";
  // "azure" for NETWORK_PLUGIN_AZURE: all values begin with the type's name.
  const std::string wanted = folded(name);
  for (const std::string_view value : known)
    if (wanted.size() >= 2 && folded(value) == folded(type.name) + wanted)
      return "did you mean \"" + std::string(value) + "\"?";
  return "known values: " + enum_values(type);
}

std::string enum_values(const EnumType& type) {
  std::string out;
  for (const EnumValue& value : type.values) {
    if (!out.empty()) out += ", ";
    out += std::string(value.name) + " (" + std::to_string(value.number) + ")";
  }
  return out;
}

}  // namespace sunup::contract
