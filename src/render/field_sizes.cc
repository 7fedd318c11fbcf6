#include "render/field_sizes.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>

namespace sunup::render {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Room that a value of no text takes in JSON, roughly; such fields never decide anything.
constexpr size_t kScalar = 8;

class Sizes {
 public:
  void add(const Message& message, const std::string& prefix) {
    std::vector<const FieldDescriptor*> fields;
    message.GetReflection()->ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
      const std::string path = prefix + std::string(field->name());
      const bool plain_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !field->is_repeated();
      if (plain_message) {
        add(message.GetReflection()->GetMessage(message, field), path + ".");
      } else {
        all.push_back({path, size_of(message, field)});
      }
    }
  }

  std::vector<FieldSize> all;

 private:
  static size_t size_of(const Message& message, const FieldDescriptor* field) {
    const auto* reflection = message.GetReflection();
    const int count = field->is_repeated() ? reflection->FieldSize(message, field) : 1;
    size_t bytes = 0;
    for (int i = 0; i < count; ++i) {
      std::string scratch;
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
        bytes += field->is_repeated() ? reflection->GetRepeatedStringReference(message, field, i, &scratch).size()
                                      : reflection->GetStringReference(message, field, &scratch).size();
      } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        Sizes inner;
        inner.add(reflection->GetRepeatedMessage(message, field, i), "");
        for (const FieldSize& size : inner.all) bytes += size.bytes;
      } else {
        bytes += kScalar;
      }
    }
    return bytes;
  }
};

}  // namespace

std::vector<FieldSize> biggest_fields(const aksnodeconfig::v1::Configuration& config, size_t count) {
  Sizes sizes;
  sizes.add(config, "");
  std::ranges::stable_sort(sizes.all, std::ranges::greater{}, &FieldSize::bytes);
  if (sizes.all.size() > count) sizes.all.resize(count);
  return sizes.all;
}

}  // namespace sunup::render
