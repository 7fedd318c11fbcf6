// A view returns the same as protobuf's own reflection for any message.
#include "contract/message_view.h"

#include <gtest/gtest.h>

#include <map>

#include "contract/test_any_config.h"

namespace sunup::contract {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

void expect_same(const MessageView& view, const Message& message);

void expect_same(const FieldValue& value, const Message& message, const FieldDescriptor* as) {
  const auto* reflection = message.GetReflection();
  switch (as->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return RC_ASSERT(value.text() == reflection->GetString(message, as));
    case FieldDescriptor::CPPTYPE_BOOL:
      return RC_ASSERT(value.boolean() == reflection->GetBool(message, as));
    case FieldDescriptor::CPPTYPE_INT32:
      return RC_ASSERT(value.integer() == reflection->GetInt32(message, as));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return RC_ASSERT(value.real() == reflection->GetDouble(message, as));
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto* known = as->enum_type()->FindValueByNumber(reflection->GetEnumValue(message, as));
      RC_ASSERT(value.integer() == reflection->GetEnumValue(message, as));
      RC_ASSERT((value.enum_value() != nullptr) == (known != nullptr));
      return;
    }
    default:
      return expect_same(value.message(), reflection->GetMessage(message, as));
  }
}

void expect_same_map(const MessageView& view, const Field& field, const Message& message, const FieldDescriptor* as) {
  const auto* reflection = message.GetReflection();
  std::map<std::string, const Message*> expected;
  for (int i = 0; i < reflection->FieldSize(message, as); ++i) {
    const Message& entry = reflection->GetRepeatedMessage(message, as, i);
    expected[entry.GetReflection()->GetString(entry, as->message_type()->map_key())] = &entry;
  }
  const auto entries = view.map(field);
  RC_ASSERT(entries.size() == expected.size());
  auto it = expected.begin();
  for (const auto& [key, value] : entries) {
    RC_ASSERT(key == it->first);
    expect_same(value, *it->second, as->message_type()->map_value());
    ++it;
  }
}

void expect_same(const MessageView& view, const Message& message) {
  const auto* reflection = message.GetReflection();
  for (const Field& field : view.type().all()) {
    const FieldDescriptor* as = message.GetDescriptor()->FindFieldByNumber(field.number);
    const size_t count = as->is_repeated() ? static_cast<size_t>(reflection->FieldSize(message, as))
                                           : static_cast<size_t>(reflection->HasField(message, as));
    RC_ASSERT(view.has(field) == (count > 0));
    const auto values = view.values(field);
    RC_ASSERT(values.size() == count);
    if (field.is_map()) {
      expect_same_map(view, field, message, as);
    } else if (field.is_list()) {
      for (size_t i = 0; i < count; ++i)
        RC_ASSERT(values[i].text() == reflection->GetRepeatedString(message, as, static_cast<int>(i)));
    } else {
      expect_same(view.get(field), message, as);
    }
  }
}

TEST(MessageView, SaysOfEveryFieldWhatProtobufSays) {
  EXPECT_TRUE(rc::check([] {
    const Configuration config = any_config();
    const std::string wire = config.SerializeAsString();
    expect_same(MessageView(wire, configuration_fields()), config);
  }));
}

// A message that was read by an older program keeps unknown fields, after all known ones.
TEST(MessageView, PassesOverWhatTheContractDoesNotKnow) {
  Configuration config;
  config.set_version("v1");
  (*config.mutable_enabled_features())["a"] = "1";
  auto* unknown = Configuration::GetReflection()->MutableUnknownFields(&config);
  unknown->AddVarint(10, 7);
  unknown->AddFixed32(1000, 7);
  unknown->AddFixed64(1001, 7);
  unknown->AddLengthDelimited(1002, "x");
  unknown->AddGroup(1003)->AddVarint(1, 7);
  const std::string wire = config.SerializeAsString();
  const MessageView view(wire, configuration_fields());
  EXPECT_EQ(view.get(*field_at("version")).text(), "v1");
  EXPECT_EQ(view.values(*field_at("enabled_features")).size(), 1u);
  EXPECT_FALSE(view.has(*field_at("vm_size")));
}

TEST(MessageView, FindsNothingInBytesThatAreCutOff) {
  Configuration config;
  config.mutable_auth_config()->set_tenant_id("0123456789");
  (*config.mutable_enabled_features())["a"] = "1";
  const std::string wire = config.SerializeAsString();
  for (size_t size = 0; size < wire.size(); ++size) {
    const MessageView view(std::string_view(wire).substr(0, size), configuration_fields());
    EXPECT_FALSE(view.has(*field_at("enabled_features"))) << size;
    for (const Field& field : configuration_fields().all()) (void)view.values(field);
  }
}

}  // namespace
}  // namespace sunup::contract
