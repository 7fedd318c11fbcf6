#include "contract/nearest.h"

#include <algorithm>
#include <functional>

namespace sunup::contract {
namespace {

// Longer names than this are no slip of any field's name, and would be slow to compare.
constexpr size_t kLongestName = 100;

// snake_case and camelCase of one name become the same.
std::string folded(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '_' || c == '-' || c == ' ') continue;
    out += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return out;
}

// Calls visit(path, field) for every field of the contract, top down.
void walk(const MessageFields& fields, const std::string& prefix,
          const std::function<void(const std::string&, const Field&)>& visit) {
  for (const Field& field : fields.all()) {
    const std::string path = prefix + field.descriptor->name();
    visit(path, field);
    if (field.message) walk(*field.message, path + (field.map_value ? ".*." : "."), visit);
  }
}

}  // namespace

size_t name_distance(std::string_view left, std::string_view right) {
  const std::string a = folded(left);
  const std::string b = folded(right);
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

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string_view>& known) {
  if (name.empty() || name.size() > kLongestName) return std::nullopt;
  size_t best_distance = std::max<size_t>(1, name.size() / 3);
  std::optional<std::string> best;
  for (const std::string_view candidate : known) {
    const size_t distance = name_distance(name, candidate);
    if (distance < best_distance || (distance == best_distance && !best)) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string nearest_field_hint(std::string_view name, const MessageFields& fields) {
  std::vector<std::string_view> known;
  for (const Field& field : fields.all()) known.push_back(field.descriptor->name());
  if (const auto here = nearest(name, known)) return "did you mean \"" + *here + "\"?";

  if (name.size() > kLongestName) return "";
  std::string elsewhere;
  const std::string wanted = folded(name);
  walk(configuration_fields(), "", [&](const std::string& path, const Field& field) {
    if (elsewhere.empty() && folded(field.descriptor->name()) == wanted) elsewhere = path;
  });
  return elsewhere.empty() ? "" : "there is \"" + elsewhere + "\"; is it in the wrong place?";
}

std::string nearest_enum_hint(std::string_view name, const google::protobuf::EnumDescriptor& type) {
  std::vector<std::string_view> known;
  for (int i = 0; i < type.value_count(); ++i) known.push_back(type.value(i)->name());
  if (const auto here = nearest(name, known)) return "did you mean \"" + *here + "\"?";
  return "known values: " + enum_values(type);
}

std::string enum_values(const google::protobuf::EnumDescriptor& type) {
  std::string out;
  for (int i = 0; i < type.value_count(); ++i) {
    if (i > 0) out += ", ";
    out += type.value(i)->name() + " (" + std::to_string(type.value(i)->number()) + ")";
  }
  return out;
}

}  // namespace sunup::contract
