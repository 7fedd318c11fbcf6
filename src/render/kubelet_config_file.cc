#include "render/kubelet_config_file.h"

#include "base/json_writer.h"
#include "base/version_changes.h"
#include "contract/message_view.h"
#include "render/sorted.h"

namespace sunup::render {
namespace {

using contract::Field;
using contract::FieldKind;
using contract::FieldValue;
using contract::MessageView;

bool lacks_streaming_timeout(const aksnodeconfig::v1::Configuration& config) {
  return version_at_least(config.kubernetes_version(), versions::kNoStreamingTimeout);
}

struct Style {
  KubeletKeys keys;
  std::string_view without;  // a field to omit

  std::string name(const Field& field) const {
    std::string name(field.json_name);
    if (keys == KubeletKeys::kAsKubeletReadsThem && name.ends_with("Ttl")) name.replace(name.size() - 3, 3, "TTL");
    return name;
  }
  bool always(const Field& field) const { return keys == KubeletKeys::kAsKubeletReadsThem && field.name == "enabled"; }
};

void write_message(JsonWriter& json, const MessageView& message, const Style& style);

// kubelet's part of the contract has only strings, bools, 32-bit integers and messages; a test verifies this.
void write_value(JsonWriter& json, const FieldValue& value, const Style& style) {
  switch (value.field().kind) {
    case FieldKind::kString:
      return json.text(value.text());
    case FieldKind::kBool:
      return json.boolean(value.boolean());
    case FieldKind::kInt32:
      return json.number(value.integer());
    default:
      return write_message(json, value.message(), style);
  }
}

void write_message(JsonWriter& json, const MessageView& message, const Style& style) {
  json.begin_object();
  for (const Field& field : message.type().all()) {
    if ((!message.has(field) && !style.always(field)) || field.name == style.without) continue;
    json.key(style.name(field));
    if (field.is_map()) {
      json.begin_object();
      for (const auto& [key, value] : message.map(field)) {
        json.key(key);
        write_value(json, value, style);
      }
      json.end_object();
    } else if (field.is_list()) {
      json.begin_array();
      for (const FieldValue& item : message.values(field)) write_value(json, item, style);
      json.end_array();
    } else {
      write_value(json, message.get(field), style);
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
  if (!config.has_kubelet_config()) return "";
  JsonWriter json({.indent = 4});
  const std::string wire = config.kubelet_config().kubelet_config_file_config().SerializeAsString();
  write_message(json, MessageView(wire, *contract::field_at("kubelet_config.kubelet_config_file_config")->message),
                {keys, lacks_streaming_timeout(config) ? "streaming_connection_idle_timeout" : ""});
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
