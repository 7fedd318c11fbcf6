#include "contract/secrets.h"

#include <google/protobuf/message.h>

#include "contract/fields.h"

namespace sunup::contract {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

void collect(const Message& message, const MessageFields& fields, std::vector<Secret>& out) {
  const auto* reflection = message.GetReflection();
  for (const Field& field : fields.all()) {
    const FieldDescriptor* as = field.descriptor;
    const auto add = [&](std::string value) {
      if (!value.empty()) out.emplace_back(std::move(value));
    };
    if (as->is_repeated()) {
      for (int i = 0; i < reflection->FieldSize(message, as); ++i) {
        if (field.map_value) {
          const Message& entry = reflection->GetRepeatedMessage(message, as, i);
          if (field.message) collect(entry.GetReflection()->GetMessage(entry, field.map_value), *field.message, out);
          if (field.secret) add(entry.GetReflection()->GetString(entry, field.map_value));
        } else if (field.message) {
          collect(reflection->GetRepeatedMessage(message, as, i), *field.message, out);
        } else if (field.secret) {
          add(reflection->GetRepeatedString(message, as, i));
        }
      }
    } else if (field.message) {
      if (reflection->HasField(message, as)) collect(reflection->GetMessage(message, as), *field.message, out);
    } else if (field.secret) {
      add(reflection->GetString(message, as));
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
