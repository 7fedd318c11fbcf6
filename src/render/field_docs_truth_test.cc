// The variables that `config explain` prints for a field are those that change in the environment if the field changes.
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include "contract/explain.h"
#include "contract/load.h"
#include "render/cse_env.h"

namespace sunup::render {
namespace {

using contract::FieldDoc;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Sets a field; at least one of the rounds sets it to a different value than before.
void set(Message& message, const FieldDescriptor& field, int round) {
  const auto* reflection = message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection->SetBool(&message, &field, round == 0);
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection->SetInt32(&message, &field, 3 + round);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return reflection->SetDouble(&message, &field, 0.25 + round);
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection->SetEnumValue(&message, &field, 1 + round);
    case FieldDescriptor::CPPTYPE_STRING: {
      const std::string values[] = {"1.34.0", "Standard_ND96asr_v4", "chinaeast2"};
      return reflection->SetString(&message, &field, values[round]);
    }
    default:
      FAIL() << field.full_name();
  }
}

void change(Message& message, const contract::Field& field, int round) {
  const auto* reflection = message.GetReflection();
  const FieldDescriptor* as = message.GetDescriptor()->FindFieldByNumber(field.number);
  if (field.is_map() && !field.message) {
    Message* entry = reflection->AddMessage(&message, as);
    entry->GetReflection()->SetString(entry, as->message_type()->map_key(), "--v");
    set(*entry, *as->message_type()->map_value(), round);
  } else if (as->is_repeated()) {
    reflection->AddString(&message, as, "eA==");
  } else {
    set(message, *as, round);
  }
}

// The message that contains the field. Null below a map, whose entries have no name.
Message* owner(aksnodeconfig::v1::Configuration& config, std::string_view path) {
  Message* at = &config;
  for (size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
    const auto* field = at->GetDescriptor()->FindFieldByName(std::string(path.substr(0, dot)));
    if (!field || field->is_repeated()) return nullptr;
    at = at->GetReflection()->MutableMessage(at, field);
    path.remove_prefix(dot + 1);
  }
  return at;
}

std::vector<std::string> changed(const Environment& before, const Environment& after) {
  std::vector<std::string> names;
  for (const auto& [name, value] : after)
    if (!before.contains(name) || before.at(name) != value) names.push_back(name);
  return names;
}

class FieldDocsTruth : public testing::TestWithParam<const char*> {};

TEST_P(FieldDocsTruth, NamesEveryVariableThatAFieldChanges) {
  const auto base = contract::load_text(GetParam(), "base");
  ASSERT_TRUE(base.ok());
  for (const FieldDoc& doc : contract::field_docs()) {
    if (doc.field->message) continue;
    for (int round = 0; round < 3; ++round) {
      aksnodeconfig::v1::Configuration config = base->config;
      Message* message = owner(config, doc.path);
      if (!message) break;
      const Environment before = cse_environment(config, {});
      change(*message, *doc.field, round);
      for (const std::string& name : changed(before, cse_environment(config, {})))
        EXPECT_TRUE(std::any_of(doc.variables.begin(), doc.variables.end(),
                                [&](const std::string& variable) { return contract::is_variable(name, variable); }))
            << doc.path << " changes " << name << ", and its comment does not say so";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Configs, FieldDocsTruth,
                         testing::Values(R"({"version":"v1"})",
                                         R"({"version":"v1","kubernetes_version":"1.31.0","vm_size":"Standard_NC6s_v3",
                                             "gpu_config":{"enable_nvidia":true,"config_gpu_driver":true},
                                             "network_config":{"network_plugin":"NETWORK_PLUGIN_KUBENET"},
                                             "kubelet_config":{"enable_kubelet_config_file":true}})"));

}  // namespace
}  // namespace sunup::render
