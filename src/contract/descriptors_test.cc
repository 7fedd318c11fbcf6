// The contract cannot drift unnoticed: what was compiled is compared, both ways, with tests/contract/fields.json.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "contract/fields.h"

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

// Everything declared in the contract's files, also what nothing refers to.
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
  visit(configuration_fields().descriptor()->file());
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
  EXPECT_EQ(configuration_fields().descriptor()->full_name(),
            written["package"].get<std::string>() + "." + written["root"].get<std::string>());
}

// The loader and the writer know these types and no others.
TEST(Contract, NeedsNoTypeThatTheLoaderDoesNotKnow) {
  for (const auto& [name, message] : written_contract()["messages"].items()) {
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

}  // namespace
}  // namespace sunup::contract
