// The contract cannot change unnoticed: the compiled contract is compared, in both directions, with
// tests/contract/fields.json, and with the table that the programs use.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "contract/fields.h"
#include "contract/load.h"
#include "sunup/options.pb.h"

namespace sunup::contract {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using nlohmann::json;

std::string type_of(const FieldDescriptor& field) {
  if (field.is_map())
    return "map<" + type_of(*field.message_type()->map_key()) + "," + type_of(*field.message_type()->map_value()) + ">";
  if (field.message_type()) return field.message_type()->name();
  if (field.enum_type()) return field.enum_type()->name();
  return field.type_name();
}

std::string presence_of(const FieldDescriptor& field) {
  if (field.is_map()) return "map";
  if (field.is_repeated()) return "repeated";
  if (field.message_type()) return "message";
  return field.has_optional_keyword() ? "optional" : "implicit";
}

json describe(const Descriptor& message) {
  json out;
  out["fields"] = json::array();
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    out["fields"].push_back({{"name", field.name()},
                             {"number", field.number()},
                             {"type", type_of(field)},
                             {"presence", presence_of(field)},
                             {"json_name", field.json_name()}});
  }
  for (int i = 0; i < message.reserved_range_count(); ++i)
    out["reserved_numbers"].push_back({message.reserved_range(i)->start, message.reserved_range(i)->end - 1});
  for (int i = 0; i < message.reserved_name_count(); ++i) out["reserved_names"].push_back(message.reserved_name(i));
  return out;
}

json describe(const EnumDescriptor& type) {
  json out = json::array();
  for (int i = 0; i < type.value_count(); ++i) out.push_back({type.value(i)->name(), type.value(i)->number()});
  return out;
}

// All declarations in the contract's files, including unreferenced ones.
json compiled_contract() {
  json out = {{"messages", json::object()}, {"enums", json::object()}};
  std::set<const google::protobuf::FileDescriptor*> files;
  const std::function<void(const google::protobuf::FileDescriptor*)> visit = [&](const auto* file) {
    if (file->package() != "aksnodeconfig.v1" || !files.insert(file).second) return;
    for (int i = 0; i < file->dependency_count(); ++i) visit(file->dependency(i));
    for (int i = 0; i < file->message_type_count(); ++i)
      out["messages"][file->message_type(i)->name()] = describe(*file->message_type(i));
    for (int i = 0; i < file->enum_type_count(); ++i)
      out["enums"][file->enum_type(i)->name()] = describe(*file->enum_type(i));
  };
  visit(Configuration::descriptor()->file());
  return out;
}

json written_contract() {
  std::ifstream file(SUNUP_SOURCE_DIR "/tests/contract/fields.json");
  EXPECT_TRUE(file.is_open());
  return json::parse(file);
}

TEST(Contract, HasExactlyTheMessagesAndFieldsThatWereAgreed) {
  const json compiled = compiled_contract();
  const json written = written_contract();
  size_t fields = 0;
  for (const auto& [name, message] : written["messages"].items()) {
    EXPECT_EQ(compiled["messages"].value(name, json()), message) << name;
    fields += message["fields"].size();
  }
  for (const auto& [name, message] : compiled["messages"].items())
    EXPECT_TRUE(written["messages"].contains(name)) << name << " was never agreed on";
  EXPECT_EQ(written["messages"].size(), 32u);
  EXPECT_EQ(fields, 257u);
}

TEST(Contract, HasExactlyTheEnumsThatWereAgreed) {
  EXPECT_EQ(compiled_contract()["enums"], written_contract()["enums"]);
  EXPECT_EQ(written_contract()["enums"].size(), 8u);
}

TEST(Contract, StartsAtTheAgreedMessage) {
  const json written = written_contract();
  EXPECT_EQ(Configuration::descriptor()->full_name(),
            written["package"].get<std::string>() + "." + written["root"].get<std::string>());
}

// The loader and the writer support only these types.
TEST(Contract, NeedsNoTypeThatTheLoaderDoesNotKnow) {
  const json written = written_contract();  // outlives the loop over a part of it
  for (const auto& [name, message] : written["messages"].items()) {
    for (const json& field : message["fields"]) {
      const std::string type = field["type"];
      if (field["presence"] == "repeated") {
        EXPECT_EQ(type, "string") << name << "." << field["name"];
      } else if (!std::isupper(type[0])) {
        EXPECT_TRUE(type.starts_with("map<string,") || type == "string" || type == "bool" || type == "int32" ||
                    type == "double")
            << name << "." << field["name"] << ": " << type;
      }
    }
  }
}

FieldKind kind_of(const FieldDescriptor& field) {
  switch (field.type()) {
    case FieldDescriptor::TYPE_STRING:
      return FieldKind::kString;
    case FieldDescriptor::TYPE_BOOL:
      return FieldKind::kBool;
    case FieldDescriptor::TYPE_INT32:
      return FieldKind::kInt32;
    case FieldDescriptor::TYPE_DOUBLE:
      return FieldKind::kDouble;
    case FieldDescriptor::TYPE_ENUM:
      return FieldKind::kEnum;
    default:
      return FieldKind::kMessage;
  }
}

void expect_same(const EnumType& table, const EnumDescriptor& compiled) {
  EXPECT_EQ(table.name, compiled.name());
  ASSERT_EQ(table.values.size(), static_cast<size_t>(compiled.value_count()));
  for (int i = 0; i < compiled.value_count(); ++i) {
    const EnumValue& value = table.values[static_cast<size_t>(i)];
    EXPECT_EQ(value.name, compiled.value(i)->name());
    EXPECT_EQ(value.number, compiled.value(i)->number());
    EXPECT_EQ(table.find(value.name), &value);
    EXPECT_EQ(table.find(value.number), &value);
  }
  EXPECT_EQ(table.find("no such value"), nullptr);
  EXPECT_EQ(table.find(-1), nullptr);
}

// Counts the messages it has compared.
void expect_same(const MessageFields& table, const Descriptor& compiled, std::set<std::string_view>& seen) {
  if (!seen.insert(table.name()).second) return;
  EXPECT_EQ(table.name(), compiled.name());
  ASSERT_EQ(table.all().size(), static_cast<size_t>(compiled.field_count())) << table.name();
  for (int i = 0; i < compiled.field_count(); ++i) {
    SCOPED_TRACE(compiled.field(i)->full_name());
    const FieldDescriptor& from = *compiled.field(i);
    const FieldDescriptor& value = from.is_map() ? *from.message_type()->map_value() : from;
    const Field& field = table.all()[static_cast<size_t>(i)];
    EXPECT_EQ(field.name, from.name());
    EXPECT_EQ(field.json_name, from.json_name());
    EXPECT_EQ(field.number, from.number());
    EXPECT_EQ(field.kind, kind_of(value));
    EXPECT_EQ(field.is_map(), from.is_map());
    EXPECT_EQ(field.is_list(), from.is_repeated() && !from.is_map());
    EXPECT_EQ(field.optional, from.has_optional_keyword());
    EXPECT_EQ(field.secret, from.options().GetExtension(sunup::secret));
    EXPECT_EQ(table.index_of(field), static_cast<size_t>(i));
    EXPECT_EQ(table.find(from.name()), &field);
    EXPECT_EQ(table.find(from.json_name()), &field);
    ASSERT_EQ(field.message != nullptr, value.message_type() != nullptr);
    ASSERT_EQ(field.enumeration != nullptr, value.enum_type() != nullptr);
    if (field.message) expect_same(*field.message, *value.message_type(), seen);
    if (field.enumeration) expect_same(*field.enumeration, *value.enum_type());
  }
  for (const char* none : {"", "A", "no_such_field", "~"}) EXPECT_EQ(table.find(none), nullptr) << none;
  ASSERT_EQ(table.reserved_names().size(), static_cast<size_t>(compiled.reserved_name_count())) << table.name();
  for (int i = 0; i < compiled.reserved_name_count(); ++i)
    EXPECT_EQ(table.reserved_names()[static_cast<size_t>(i)], compiled.reserved_name(i));
}

TEST(FieldTable, SaysOfEveryFieldWhatTheCompiledContractSays) {
  std::set<std::string_view> seen;
  expect_same(configuration_fields(), *Configuration::descriptor(), seen);
  EXPECT_EQ(seen.size(), written_contract()["messages"].size());
}

TEST(FieldTable, FindsFieldsByTheirPath) {
  ASSERT_NE(field_at("kubelet_config.kubelet_config_file_config.authentication.webhook.enabled"), nullptr);
  EXPECT_EQ(field_at("kubeletConfig.kubelet_flags"), field_at("kubelet_config.kubeletFlags"));
  EXPECT_EQ(field_at("version"), configuration_fields().find("version"));
  for (const char* none : {"", ".", "version.", "version.x", "kubelet_config.nothing", "nothing.kubelet_flags"})
    EXPECT_EQ(field_at(none), nullptr) << none;
}

}  // namespace
}  // namespace sunup::contract
