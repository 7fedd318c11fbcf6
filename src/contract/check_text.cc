// Rules that apply to all fields: values that are too long to be passed on or too short to be redacted, and characters
// that are invalid in a name.
#include <algorithm>
#include <array>
#include <functional>
#include <string>

#include "base/base64.h"
#include "base/json_reader.h"
#include "base/url.h"
#include "contract/formats.h"
#include "contract/judge.h"
#include "contract/message_view.h"
#include "contract/path.h"
#include "contract/secrets.h"

namespace sunup::contract {
namespace {

using Visit = std::function<void(const std::string& path, const Field& field, std::string_view value)>;

void each_string(const MessageView& message, const std::string& path, const Visit& visit) {
  for (const Field& field : message.type().all()) {
    const std::string here = path + "." + std::string(field.name);
    const auto visit_value = [&](const std::string& at, const FieldValue& value) {
      if (field.kind == FieldKind::kString) visit(at, field, value.text());
      if (field.kind == FieldKind::kMessage) each_string(value.message(), at, visit);
    };
    if (field.is_map()) {
      for (const auto& [key, value] : message.map(field)) visit_value(path_of_key(here, key), value);
    } else if (field.is_list()) {
      size_t index = 0;
      for (const FieldValue& value : message.values(field)) visit_value(path_of_item(here, index++), value);
    } else if (message.has(field)) {
      visit_value(here, message.get(field));
    }
  }
}

// Calls visit for every string in the config, including the values of maps, but not their keys.
void each_string(const Configuration& config, const Visit& visit) {
  const std::string wire = config.SerializeAsString();
  each_string(MessageView(wire, configuration_fields()), "$", visit);
}

constexpr size_t kLongestName = 64;

void too_long(Judge& judge) {
  each_string(judge.config, [&](const std::string& path, const Field&, const auto& value) {
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
  // Fields with several lines, or with text that is displayed or decoded and not used as a name.
  static constexpr std::array<std::string_view, 8> kFreeText = {
      "kubernetes_ca_cert",          "custom_ca_certs",        "proxy_trusted_ca",
      "message_of_the_day",          "api_server_public_key",  "kubelet_client_key",
      "kubelet_client_cert_content", "custom_env_json_content"};
  each_string(judge.config, [&](const std::string& path, const Field& field, std::string_view value) {
    if (std::find(kFreeText.begin(), kFreeText.end(), field.name) != kFreeText.end()) return;
    if (path.starts_with("$.enabled_features[")) return;  // rule enabled-feature
    const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    if (std::any_of(value.begin(), value.end(), control)) {
      judge.warning(path, "the value has a line break or another control character");
    } else if (value.starts_with(' ') || value.ends_with(' ')) {
      judge.warning(path, "the value starts or ends with white space");
    }
  });
}

void short_secret(Judge& judge) {
  const auto is_short = [](std::string_view value) { return !value.empty() && value.size() < kShortestHidden; };
  each_string(judge.config, [&](const std::string& path, const Field& field, std::string_view value) {
    // Azure generates this one, and it is long; with a managed identity it is the word "msi".
    if (field.name == "service_principal_secret") return;
    if ((field.secret && is_short(value)) || std::ranges::any_of(url_credentials(value), is_short))
      judge.warning(path, "this secret is too short to be redacted in the output of programs",
                    "at least " + std::to_string(kShortestHidden) + " characters");
  });
}

// The endpoints may be JSON or base64-encoded JSON: images differ in what they expect.
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
    {"stray-character", "a control character, or leading or trailing blanks, in a name", stray_character},
    {"short-secret", "a secret or password that is too short to be redacted in logs", short_secret},
    {"cloud-endpoints", "endpoints of a custom cloud that cannot be read", cloud_endpoints},
};

}  // namespace

std::span<const Rule> text_rules() {
  return kRules;
}

}  // namespace sunup::contract
