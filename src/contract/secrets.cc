#include "contract/secrets.h"

#include <google/protobuf/message.h>

#include "base/base64.h"
#include "base/url.h"
#include "contract/fields.h"

namespace sunup::contract {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Shorter than this, taking it out of a text would take out half of the text.
constexpr size_t kShortestPart = 4;

void add_part(std::string part, const std::string& value, std::vector<Secret>& out) {
  if (part.size() >= kShortestPart && part != value) out.emplace_back(std::move(part));
}

void add_url_credentials(const std::string& value, std::vector<Secret>& out) {
  for (const std::string_view credential : url_credentials(value)) {
    add_part(std::string(credential), value, out);
    if (credential.find('%') != std::string_view::npos) add_part(percent_decoded(credential), value, out);
  }
}

void add(const Field& field, const std::string& value, std::vector<Secret>& out) {
  if (field.secret && !value.empty()) {
    out.emplace_back(value);
    if (auto decoded = base64_decode(value)) add_part(std::move(*decoded), value, out);
  }
  add_url_credentials(value, out);
}

bool is_string(const FieldDescriptor& field) {
  return field.type() == FieldDescriptor::TYPE_STRING;
}

void collect(const Message& message, const MessageFields& fields, std::vector<Secret>& out) {
  const auto* reflection = message.GetReflection();
  for (const Field& field : fields.all()) {
    const FieldDescriptor* as = field.descriptor;
    if (as->is_repeated()) {
      for (int i = 0; i < reflection->FieldSize(message, as); ++i) {
        if (field.map_value) {
          const Message& entry = reflection->GetRepeatedMessage(message, as, i);
          if (field.message) collect(entry.GetReflection()->GetMessage(entry, field.map_value), *field.message, out);
          if (is_string(*field.map_value)) add(field, entry.GetReflection()->GetString(entry, field.map_value), out);
        } else if (field.message) {
          collect(reflection->GetRepeatedMessage(message, as, i), *field.message, out);
        } else if (is_string(*as)) {
          add(field, reflection->GetRepeatedString(message, as, i), out);
        }
      }
    } else if (field.message) {
      if (reflection->HasField(message, as)) collect(reflection->GetMessage(message, as), *field.message, out);
    } else if (is_string(*as)) {
      add(field, reflection->GetString(message, as), out);
    }
  }
}

}  // namespace

std::vector<Secret> secrets_of(const Configuration& config) {
  std::vector<Secret> out;
  collect(config, configuration_fields(), out);
  return out;
}

}  // namespace sunup::contract
