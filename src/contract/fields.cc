#include "contract/fields.h"

#include "aksnodeconfig/v1/configuration.pb.h"
#include "sunup/options.pb.h"

namespace sunup::contract {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

class ContractFields {
 public:
  ContractFields() : root_(add(aksnodeconfig::v1::Configuration::descriptor())) {}
  const MessageFields& root() const { return *root_; }

 private:
  const MessageFields* add(const Descriptor* descriptor) {
    for (const MessageFields& known : messages_)
      if (known.descriptor_ == descriptor) return &known;
    MessageFields& message = messages_.emplace_back();
    message.descriptor_ = descriptor;
    message.fields_.resize(static_cast<size_t>(descriptor->field_count()));
    for (int i = 0; i < descriptor->field_count(); ++i) {
      const FieldDescriptor* from = descriptor->field(i);
      Field& field = message.fields_[static_cast<size_t>(i)];
      field.descriptor = from;
      field.secret = from->options().GetExtension(sunup::secret);
      if (from->is_map()) field.map_value = from->message_type()->map_value();
      const FieldDescriptor* value = field.map_value ? field.map_value : from;
      if (value->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) field.message = add(value->message_type());
      message.by_name_.emplace(from->name(), &field);
      message.by_name_.emplace(from->json_name(), &field);
    }
    return &message;
  }

  std::deque<MessageFields> messages_;  // does not move its elements
  const MessageFields* root_;
};

const MessageFields& configuration_fields() {
  static const ContractFields kFields;
  return kFields.root();
}

}  // namespace sunup::contract
