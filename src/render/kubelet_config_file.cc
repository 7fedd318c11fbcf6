#include "render/kubelet_config_file.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <vector>

#include "base/semver.h"
#include "render/json_writer.h"
#include "render/text.h"

namespace sunup::render {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

bool lacks_streaming_timeout(const aksnodeconfig::v1::Configuration& config) {
  return version_at_least(config.kubernetes_version(), 1, 34, 0);
}

struct Style {
  KubeletKeys keys;
  const FieldDescriptor* without;  // a field to leave out; null: none

  std::string name(const FieldDescriptor* field) const {
    std::string name = field->json_name();
    if (keys == KubeletKeys::kAsKubeletReadsThem && name.ends_with("Ttl")) name.replace(name.size() - 3, 3, "TTL");
    return name;
  }
  bool always(const FieldDescriptor* field) const {
    return keys == KubeletKeys::kAsKubeletReadsThem && field->name() == "enabled";
  }
};

void write_message(JsonWriter& json, const Message& message, const Style& style);

// The kubelet's part of the contract has strings, bools, 32-bit integers and messages; a test holds it to that.
void write_value(JsonWriter& json, const Message& message, const FieldDescriptor* field, const Style& style) {
  const Reflection& reflection = *message.GetReflection();
  std::string scratch;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return json.text(reflection.GetStringReference(message, field, &scratch));
    case FieldDescriptor::CPPTYPE_BOOL:
      return json.boolean(reflection.GetBool(message, field));
    case FieldDescriptor::CPPTYPE_INT32:
      return json.number(reflection.GetInt32(message, field));
    default:
      return write_message(json, reflection.GetMessage(message, field), style);
  }
}

void write_map(JsonWriter& json, const Message& message, const FieldDescriptor* field, const Style& style) {
  const Reflection& reflection = *message.GetReflection();
  const FieldDescriptor* key = field->message_type()->map_key();
  std::vector<std::pair<std::string, const Message*>> entries;
  for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
    const Message& entry = reflection.GetRepeatedMessage(message, field, i);
    entries.emplace_back(entry.GetReflection()->GetString(entry, key), &entry);
  }
  std::ranges::sort(entries);
  json.begin_object();
  for (const auto& [name, entry] : entries) {
    json.key(name);
    write_value(json, *entry, field->message_type()->map_value(), style);
  }
  json.end_object();
}

void write_message(JsonWriter& json, const Message& message, const Style& style) {
  const Reflection& reflection = *message.GetReflection();
  const auto* type = message.GetDescriptor();
  json.begin_object();
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    const bool present =
        field->is_repeated() ? reflection.FieldSize(message, field) > 0 : reflection.HasField(message, field);
    if ((!present && !style.always(field)) || field == style.without) continue;
    json.key(style.name(field));
    if (field->is_map()) {
      write_map(json, message, field, style);
    } else if (field->is_repeated()) {
      std::string scratch;
      json.begin_array();
      for (int item = 0; item < reflection.FieldSize(message, field); ++item)
        json.text(reflection.GetRepeatedStringReference(message, field, item, &scratch));
      json.end_array();
    } else {
      write_value(json, message, field, style);
    }
  }
  json.end_object();
}

std::string pairs(const google::protobuf::Map<std::string, std::string>& map, char separator,
                  std::string_view without = {}) {
  std::string out;
  for (const auto* entry : sorted(map)) {
    if (!without.empty() && entry->first == without) continue;
    if (!out.empty()) out += separator;
    out.append(entry->first).append("=").append(entry->second);
  }
  return out;
}

}  // namespace

std::string kubelet_config_file(const aksnodeconfig::v1::Configuration& config, KubeletKeys keys) {
  using File = aksnodeconfig::v1::KubeletConfigFileConfig;
  static const FieldDescriptor* const kStreamingTimeout =
      File::descriptor()->FindFieldByNumber(File::kStreamingConnectionIdleTimeoutFieldNumber);
  if (!config.has_kubelet_config()) return "";
  JsonWriter json(4);
  write_message(json, config.kubelet_config().kubelet_config_file_config(),
                {keys, lacks_streaming_timeout(config) ? kStreamingTimeout : nullptr});
  return std::move(json).take();
}

std::string kubelet_flags(const aksnodeconfig::v1::Configuration& config) {
  return pairs(config.kubelet_config().kubelet_flags(), ' ',
               lacks_streaming_timeout(config) ? "--streaming-connection-idle-timeout" : "");
}

std::string kubelet_node_labels(const aksnodeconfig::v1::KubeletConfig& kubelet) {
  return pairs(kubelet.kubelet_node_labels(), ',');
}

}  // namespace sunup::render
