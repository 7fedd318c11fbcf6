// Configs for property tests: any value of any field, set through protobuf's own descriptors, so that the table and the
// readers can be compared with protobuf.
#pragma once

#include <google/protobuf/message.h>
#include <rapidcheck.h>

#include <string>

#include "contract/load.h"

namespace sunup::contract {

inline std::string some_text() {
  return *rc::gen::element<std::string>("", "a", "--max-pods", "\u00e9\u65e5\U0001F600", "x\ny\"\\\t\x01", "10.0.0.10",
                                        "{{.}}", "<&>\u2028", std::string(300, 'z'));
}

inline void set_some_scalar(google::protobuf::Message& to, const google::protobuf::FieldDescriptor* field) {
  using google::protobuf::FieldDescriptor;
  const auto* of = to.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return of->SetString(&to, field, some_text());
    case FieldDescriptor::CPPTYPE_BOOL:
      return of->SetBool(&to, field, *rc::gen::arbitrary<bool>());
    case FieldDescriptor::CPPTYPE_INT32:
      return of->SetInt32(&to, field, *rc::gen::arbitrary<int32_t>());
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return of->SetDouble(&to, field, *rc::gen::arbitrary<double>());
    default:
      return of->SetEnumValue(&to, field, *rc::gen::inRange(-2, 7));
  }
}

inline void fill(google::protobuf::Message& message) {
  const auto* type = message.GetDescriptor();
  const auto* reflection = message.GetReflection();
  const auto fill_value = [](google::protobuf::Message& in, const google::protobuf::FieldDescriptor* field) {
    if (field->message_type()) {
      fill(*in.GetReflection()->MutableMessage(&in, field));
    } else {
      set_some_scalar(in, field);
    }
  };
  for (int i = 0; i < type->field_count(); ++i) {
    const auto* field = type->field(i);
    if (!*rc::gen::weightedElement<bool>({{1, true}, {3, false}})) continue;
    if (field->is_map()) {
      for (const char* key : {"k", "\u00e9", "", "a.b/c"}) {
        if (*rc::gen::arbitrary<bool>()) continue;
        google::protobuf::Message* entry = reflection->AddMessage(&message, field);
        entry->GetReflection()->SetString(entry, field->message_type()->map_key(), key);
        fill_value(*entry, field->message_type()->map_value());
      }
    } else if (field->is_repeated()) {
      for (int items = *rc::gen::inRange(0, 4); items > 0; --items) reflection->AddString(&message, field, some_text());
    } else {
      fill_value(message, field);
    }
  }
}

inline Configuration any_config() {
  Configuration config;
  fill(config);
  config.set_version("v1");
  return config;
}

}  // namespace sunup::contract
