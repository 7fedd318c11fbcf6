#include "render/field_sizes.h"

#include <algorithm>

#include "contract/message_view.h"

namespace sunup::render {
namespace {

using contract::Field;
using contract::FieldKind;
using contract::FieldValue;
using contract::MessageView;

// The approximate size of a value in JSON that is not text; such fields are never among the largest.
constexpr size_t kScalar = 8;

size_t size_of(const MessageView& message);

size_t size_of(const FieldValue& value) {
  const FieldKind kind = value.field().kind;
  return kind == FieldKind::kString    ? value.text().size()
         : kind == FieldKind::kMessage ? size_of(value.message())
                                       : kScalar;
}

size_t size_of(const MessageView& message, const Field& field) {
  size_t bytes = 0;
  if (field.is_map())
    for (const auto& [key, value] : message.map(field)) bytes += key.size() + size_of(value);
  else
    for (const FieldValue& value : message.values(field)) bytes += size_of(value);
  return bytes;
}

size_t size_of(const MessageView& message) {
  size_t bytes = 0;
  for (const Field& field : message.type().all()) bytes += size_of(message, field);
  return bytes;
}

void add(const MessageView& message, const std::string& prefix, std::vector<FieldSize>& out) {
  for (const Field& field : message.type().all()) {
    if (!message.has(field)) continue;
    const std::string path = prefix + std::string(field.name);
    if (field.message && !field.is_list() && !field.is_map()) {
      add(message.get(field).message(), path + ".", out);
    } else {
      out.push_back({path, size_of(message, field)});
    }
  }
}

}  // namespace

std::vector<FieldSize> biggest_fields(const aksnodeconfig::v1::Configuration& config, size_t count) {
  const std::string wire = config.SerializeAsString();
  std::vector<FieldSize> sizes;
  add(MessageView(wire, contract::configuration_fields()), "", sizes);
  std::ranges::stable_sort(sizes, std::ranges::greater{}, &FieldSize::bytes);
  if (sizes.size() > count) sizes.resize(count);
  return sizes;
}

}  // namespace sunup::render
