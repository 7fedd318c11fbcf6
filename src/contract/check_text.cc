// What no single field is about: values too long to be passed on, and characters that have no business in a name.
#include <google/protobuf/message.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>

#include "base/base64.h"
#include "contract/fields.h"
#include "contract/json_reader.h"
#include "contract/judge.h"
#include "contract/path.h"

namespace sunup::contract {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

using Visit = std::function<void(const std::string& path, const Field& field, const std::string& value)>;

// Calls visit for every string of the config, values of maps included, their keys not.
void each_string(const Message& message, const MessageFields& fields, const std::string& path, const Visit& visit) {
  const auto* reflection = message.GetReflection();
  for (const Field& field : fields.all()) {
    const FieldDescriptor* as = field.descriptor;
    const FieldDescriptor* value = field.map_value ? field.map_value : as;
    if (!field.message && value->cpp_type() != FieldDescriptor::CPPTYPE_STRING) continue;
    const std::string here = path + "." + as->name();
    const int count = as->is_repeated() ? reflection->FieldSize(message, as) : 1;
    for (int i = 0; i < count; ++i) {
      if (field.map_value) {
        const Message& entry = reflection->GetRepeatedMessage(message, as, i);
        const auto* of = entry.GetReflection();
        const std::string at = path_of_key(here, of->GetString(entry, as->message_type()->map_key()));
        if (field.message) {
          each_string(of->GetMessage(entry, value), *field.message, at, visit);
        } else {
          visit(at, field, of->GetString(entry, value));
        }
      } else if (field.message) {
        if (reflection->HasField(message, as))
          each_string(reflection->GetMessage(message, as), *field.message, here, visit);
      } else if (as->is_repeated()) {
        visit(path_of_item(here, static_cast<size_t>(i)), field, reflection->GetRepeatedString(message, as, i));
      } else {
        visit(here, field, reflection->GetString(message, as));
      }
    }
  }
}

// The kernel takes no single variable of an environment beyond this, name and '=' included.
constexpr size_t kLongestVariable = 128u << 10;
constexpr size_t kLongestName = 64;

void too_long(Judge& judge) {
  each_string(judge.config, configuration_fields(), "$", [&](const std::string& path, const Field&, const auto& value) {
    if (value.size() + kLongestName > kLongestVariable)
      judge.error(path, "with " + std::to_string(value.size()) + " bytes this cannot be passed to a program",
                  "an environment variable holds at most 128 KiB");
  });
  const auto want = [&](const char* path, size_t bytes) {
    if (bytes + kLongestName > kLongestVariable)
      judge.error(path, "with " + std::to_string(bytes) + " bytes in all this cannot be passed to a program",
                  "an environment variable holds at most 128 KiB");
  };
  const auto& kubelet = judge.config.kubelet_config();
  const auto total = [](const auto& map) {
    size_t bytes = 0;
    for (const auto& [key, value] : map) bytes += key.size() + value.size() + 2;
    return bytes;
  };
  want("$.kubelet_config.kubelet_flags", total(kubelet.kubelet_flags()));
  want("$.kubelet_config.kubelet_node_labels", total(kubelet.kubelet_node_labels()));
  size_t no_proxy = 0;
  for (const std::string& entry : judge.config.http_proxy_config().no_proxy_entries()) no_proxy += entry.size() + 1;
  want("$.http_proxy_config.no_proxy_entries", no_proxy);
}

void stray_character(Judge& judge) {
  // Several lines, or text that is shown or decoded and not used as a name.
  static constexpr std::array<std::string_view, 8> kFreeText = {
      "kubernetes_ca_cert",          "custom_ca_certs",        "proxy_trusted_ca",
      "message_of_the_day",          "api_server_public_key",  "kubelet_client_key",
      "kubelet_client_cert_content", "custom_env_json_content"};
  each_string(judge.config, configuration_fields(), "$",
              [&](const std::string& path, const Field& field, const std::string& value) {
                if (std::find(kFreeText.begin(), kFreeText.end(), field.descriptor->name()) != kFreeText.end()) return;
                if (path.starts_with("$.enabled_features[")) return;  // rule enabled-feature
                const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
                if (std::any_of(value.begin(), value.end(), control)) {
                  judge.warning(path, "the value has a line break or another control character");
                } else if (value.starts_with(' ') || value.ends_with(' ')) {
                  judge.warning(path, "the value starts or ends with a blank");
                }
              });
}

// The endpoints may be JSON or base64 of JSON: images differ in what they expect.
void cloud_endpoints(Judge& judge) {
  const std::string& content = judge.config.custom_cloud_config().custom_env_json_content();
  if (content.empty()) return;
  const std::string path = "$.custom_cloud_config.custom_env_json_content";
  const std::string text = base64_decode(content).value_or(content);
  JsonReader in(text);
  bool endpoint = false;
  const bool object = in.object([&](std::string_view key, size_t) {
    endpoint = endpoint || key == "resourceManagerEndpoint";
    return in.skip();
  });
  if (!object || !in.end()) {
    judge.error(path, "the endpoints are not a JSON object");
  } else if (!endpoint) {
    judge.warning(path, "the endpoints have no resourceManagerEndpoint");
  }
}

constexpr Rule kRules[] = {
    {"too-long", "a value that does not fit into an environment variable", too_long},
    {"stray-character", "a control character or outer blank in a value that is a name", stray_character},
    {"cloud-endpoints", "endpoints of a custom cloud that cannot be read", cloud_endpoints},
};

}  // namespace

std::span<const Rule> text_rules() {
  return kRules;
}

}  // namespace sunup::contract
