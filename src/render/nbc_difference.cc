#include "render/nbc_difference.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "render/nbc_config.h"

namespace sunup::render {
namespace {

// The config does not determine these: the sent text is used, or the value is determined on the node (GPUs).
constexpr std::string_view kTakenAsSent[] = {
    "ARM_RESOURCE_ENDPOINT",    "GPU_DRIVER_TYPE", "GPU_DRIVER_VERSION",  "GPU_IMAGE_SHA",
    "GPU_NEEDS_FABRIC_MANAGER", "SGX_NODE",        "MCR_REPOSITORY_BASE", "KUBELET_FLAGS",
    "KUBELET_NODE_LABELS"};
// Native provisioning does not depend on these.
constexpr std::string_view kWithoutEffect[] = {"CLI_TOOL",     "MOBY_VERSION", "NETWORK_ISOLATED_CLUSTER_TEST_MODE",
                                               "NETWORK_MODE", "PROXY_VARS",   "SKIP_WAAGENT_HOLD"};
// Clouds that only commands derive from the location.
constexpr std::string_view kCloudsOfCommands[] = {"AzureBleuCloud", "AzureGermanyCloud", "AzureSingaporeCloud"};

template <class List>
bool listed(const List& list, std::string_view name) {
  return std::ranges::find(list, name) != std::end(list);
}

bool same_number(std::string_view a, std::string_view b) {
  const auto number = [](std::string_view text, double& value) {
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    return read.ec == std::errc() && read.ptr == text.data() + text.size();
  };
  double left = 0, right = 0;
  return number(a, left) && number(b, right) && left == right;
}

}  // namespace

bool nbc_difference(std::string_view name, std::string_view sent, std::string_view computed, const NbcCommand& command,
                    std::string& remark) {
  if (sent == computed || listed(kSentBlobs, name) || listed(kTakenAsSent, name) || listed(kWithoutEffect, name))
    return true;
  if (sent.empty()) return true;  // the config's default applies: an empty text has no meaning
  if (same_number(sent, computed)) return true;
  // Certificates that are not in base64: their line breaks are restored.
  if (sent.starts_with("-----BEGIN "))
    return unicode::without_white_space(sent) == unicode::without_white_space(computed);
  if (name == "LOAD_BALANCER_SKU") return lowered(sent) == computed || computed.empty();
  // Values that a config cannot represent are lost; the reader has reported this.
  if (name == "NETWORK_PLUGIN" || name == "NETWORK_POLICY" || name == "VM_TYPE") return computed.empty();
  if (name == "MAXIMUM_LOADBALANCER_RULE_COUNT") return sent == "0";
  if (name == "SHOULD_CONFIGURE_HTTP_PROXY" || name == "SHOULD_CONFIGURE_HTTP_PROXY_CA") {
    remark = "it is true without a value to configure: nothing is configured";
    return sent == "true" && computed == "false";
  }
  if (name == "TARGET_CLOUD" || name == "TARGET_ENVIRONMENT") {
    if (!listed(kCloudsOfCommands, sent)) return false;
    remark = "a config does not know this cloud by its location; the name is used as sent";
    return command.value("IS_CUSTOM_CLOUD") != "true";
  }
  return false;
}

}  // namespace sunup::render
