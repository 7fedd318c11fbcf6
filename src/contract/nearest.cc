#include "contract/nearest.h"

#include <algorithm>

#include "base/text.h"

namespace sunup::contract {
namespace {

struct KnownField {
  std::string folded_name;
  std::string path;
};

void walk(const MessageFields& fields, const std::string& prefix, std::vector<KnownField>& out) {
  for (const Field& field : fields.all()) {
    out.push_back({folded_name(field.name), prefix + std::string(field.name)});
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

std::string nearest_field_hint(std::string_view name, const MessageFields& fields) {
  std::vector<std::string_view> known;
  for (const Field& field : fields.all()) known.push_back(field.name);
  if (const auto here = nearest(name, known)) return "did you mean \"" + *here + "\"?";

  if (name.size() > kLongestMisspelling) return "";
  const std::string wanted = folded_name(name);
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
  const std::string wanted = folded_name(name);
  for (const std::string_view value : known)
    if (wanted.size() >= 2 && folded_name(value) == folded_name(type.name) + wanted)
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
