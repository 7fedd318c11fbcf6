// The rules for values of settings. All rules are checked, so that one run reports all mistakes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/base64.h"
#include "base/duration.h"
#include "base/text.h"
#include "base/url.h"
#include "contract/formats.h"
#include "contract/x509.h"
#include "fleet/sources/azure_cloud.h"
#include "fleet/sources/class_subnet.h"
#include "fleet/sources/cluster_id.h"
#include "fleet/sources/cluster_version.h"
#include "fleet/sources/patterns.h"
#include "fleet/sources/settings.h"

namespace sunup::fleet {
namespace {

using enum Option;

class Judge {
 public:
  Judge(const Settings& settings, Findings& findings) : settings_(settings), findings_(findings) {}

  // The value is shown only if it cannot be a credential.
  void require(bool holds, Option option, std::string_view rule, std::string_view must) {
    if (holds) return;
    const OptionRow& row = option_rows()[static_cast<size_t>(option)];
    const std::string& value = settings_.text(option);
    const bool shown = !row.secret && !value.empty() && option != kSshPublicKey;
    Finding finding;
    finding.rule = rule;
    finding.path = settings_.named(option);
    finding.message = shown ? fmt::format("is '{}', {}", value, must) : std::string(must);
    finding.hint =
        value.empty() && row.required
            ? fmt::format("set {} in the settings{}", row.flag,
                          row.env.empty() || !settings_.reads_environment()
                              ? ""
                              : fmt::format(", or {} in the environment", row.env.substr(0, row.env.find('|'))))
            : "";
    findings_.push_back(std::move(finding));
  }

 private:
  const Settings& settings_;
  Findings& findings_;
};

bool one_of(const std::string& value, std::initializer_list<std::string_view> choices) {
  return std::find(choices.begin(), choices.end(), value) != choices.end();
}

bool is_bool(const std::string& value) {
  return one_of(value, {"true", "false", "1", "0", "t", "f", "T", "F", "TRUE", "FALSE", "True", "False"});
}

bool is_whole_number(const std::string& value, int64_t min, int64_t max) {
  const auto number = as_number<int64_t>(value);
  return number && *number >= min && *number <= max;
}

bool is_admin_name(const std::string& value) {
  return !value.empty() && value.size() <= 32 && is_letter(value[0]) &&
         std::ranges::all_of(value, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_'; });
}

bool is_disk_encryption_set(const std::string& value) {
  const std::string lower = lowered(value);
  const auto parts = split(lower, '/');
  return parts.size() == 9 && parts[0].empty() && parts[1] == "subscriptions" && !parts[2].empty() &&
         parts[3] == "resourcegroups" && !parts[4].empty() && parts[5] == "providers" &&
         parts[6] == "microsoft.compute" && parts[7] == "diskencryptionsets" && !parts[8].empty();
}

void check_tags(Judge& judge, const Settings& settings) {
  const auto pairs = parse_pairs(settings.text(kAdditionalTags));
  if (!pairs) return judge.require(false, kAdditionalTags, "map", pairs.error().what);
  std::set<std::string> seen;
  bool lengths = true;
  bool characters = true;
  bool unique = true;
  for (const auto& [key, value] : *pairs) {
    lengths = lengths && !key.empty() && unicode::length(key) <= 512 && unicode::length(value) <= 256;
    characters = characters && key.find_first_of("<>%&\\?/") == key.npos;
    unique = unique && seen.insert(lowered(key)).second;
  }
  judge.require(lengths, kAdditionalTags, "maxLength", "keys have 1 to 512 characters and values at most 256");
  judge.require(characters, kAdditionalTags, "characters", "keys may not contain any of < > % & \\ ? /");
  judge.require(unique, kAdditionalTags, "unique", "each key may be given once, whatever its letter case");
}

bool is_endpoint(const std::string& value) {
  const auto url = parse_http_url(value);
  return url && (contract::is_host_name(url->host) || contract::is_ip(url->host));
}

// The format of a bootstrap token: "abcdef.0123456789abcdef".
bool is_bootstrap_token(const std::string& value) {
  const auto plain = [](char c) { return is_lower(c) || is_digit(c); };
  for (size_t i = 0; i < value.size(); ++i)
    if (i == 6 ? value[i] != '.' : !plain(value[i])) return false;
  return value.size() == 23;
}

bool is_cluster_id(const std::string& value) {
  return value.size() == 8 && value.find_first_not_of("0123456789") == value.npos;
}

// The location of nodes, and the cloud that it belongs to.
void check_place(Judge& judge, const Settings& settings, Findings& findings) {
  const std::string& location = settings.text(kLocation);
  const bool named = std::all_of(location.begin(), location.end(), is_alphanumeric);
  judge.require(named, kLocation, "pattern",
                "must be the name of a location, in letters and digits: eastus, not East US");
  const std::string& path = settings.text(kAzureEnvironmentFilepath);
  judge.require(path.empty() || path.starts_with('/'), kAzureEnvironmentFilepath, "absolute",
                "must be an absolute path");
  if (!settings.given(kCloud)) return;
  const std::string_view cloud = cloud_name(settings.text(kCloud));
  judge.require(!cloud.empty(), kCloud, "enum", "is not a known cloud");
  if (cloud.empty() || location.empty() || cloud == cloud_of_location(location)) return;
  warn(findings, settings.named(kCloud), "contradiction",
       fmt::format("is {}, but location {} is in {}; a node with an AKSNodeConfig uses its location", cloud, location,
                   cloud_of_location(location)));
}

// The name of the network security group contains the cluster ID.
void check_cluster_id(Judge& judge, const Settings& settings, Findings& findings) {
  const std::string& id = settings.text(kClusterId);
  const std::string& group = settings.text(kNetworkSecurityGroup);
  judge.require(id.empty() || is_cluster_id(id), kClusterId, "pattern",
                "must be 8 digits, as in the name of the network security group");
  const auto digits = cluster_id_from_nsg(group);
  judge.require(group.empty() || digits, kNetworkSecurityGroup, "pattern",
                "must match ^aks-agentpool-\\d{8}-nsg$, as AKS names it");
  judge.require(id.empty() || !digits || id == *digits, kClusterId, "network-security-group",
                fmt::format("must be the number in network-security-group, {}", digits.value_or("")));
  if (id.empty() && group.empty() && settings.given(kClusterEndpoint))
    warn(findings, settings.named(kNetworkSecurityGroup), "assumed",
         "is unknown; its name and that of the route table are derived from the host of cluster-endpoint, which is "
         "wrong for private clusters with a custom subdomain",
         "set network-security-group, or cluster-id");
}

// Base64-encoded certificates, decoded as on nodes; `lost` describes the consequence if there are none.
void check_certificates(Judge& judge, const Settings& settings, Option option, const std::vector<std::string>& texts,
                        std::string_view lost, Findings& findings) {
  for (const std::string& text : texts) {
    const auto pem = base64_decode(text);
    judge.require(pem.has_value(), option, "base64", "must be PEM certificates in base64");
    if (!pem) return;
    if (contract::read_certificates(*pem).empty())
      return warn(findings, settings.named(option), "certificate",
                  fmt::format("contains no PEM certificate; {}", lost));
  }
}

void check_proxy_and_certificates(Judge& judge, const Settings& settings, Findings& findings) {
  for (const Option option : {kHttpProxy, kHttpsProxy}) {
    const std::string& proxy = settings.text(option);
    const bool spaced = proxy.find_first_of(" \t\r\n") != proxy.npos;
    judge.require(proxy.empty() || (!spaced && parse_http_url(proxy)), option, "url",
                  "must be the URL of a proxy, such as http://proxy.example.com:3128");
  }
  if (settings.given(kProxyTrustedCa))
    check_certificates(judge, settings, kProxyTrustedCa, {settings.text(kProxyTrustedCa)},
                       "nodes will not trust the proxy", findings);
  check_certificates(judge, settings, kCustomCaCerts, settings.list(kCustomCaCerts),
                     "nodes get no certificate to trust", findings);
}

}  // namespace

void check_settings(const Settings& settings, Findings& findings) {
  Judge judge(settings, findings);
  const auto text = [&](Option option) -> const std::string& { return settings.text(option); };
  const std::string& mode = text(kProvisionMode);
  const bool machine_api = mode == "aksmachineapi" || mode == "aksmachineapiheaderbatch";

  for (const OptionRow& row : option_rows()) {
    const std::string& value = text(row.option);
    if (row.required) judge.require(!value.empty(), row.option, "required", "must be set");
    if (value.empty()) continue;
    if (row.type == "bool") judge.require(is_bool(value), row.option, "bool", "must be true or false");
    if (row.type == "list")
      if (const auto items = parse_list(value); !items) judge.require(false, row.option, "list", items.error().what);
    if (row.option == kNodeIdentities && settings.at(row.option).origin().where == row.config_map)
      judge.require(trimmed(value).find_first_of("[{") == 0, row.option, "json",
                    R"(must be a JSON array in the ConfigMap, such as ["/subscriptions/..."])");
    if (row.type == "duration")
      judge.require(parse_go_duration(value).has_value(), row.option, "duration", "must be a duration such as 5s");
    if (row.type == "int")
      judge.require(is_whole_number(value, kMinInt32, kMaxInt32), row.option, "int", "must be a whole number");
    if (row.type == "float") {
      const auto number = as_number<double>(value);
      judge.require(number && std::isfinite(*number) && *number >= 0, row.option, "minimum",
                    "must be a number, 0 or more");
    }
  }

  if (settings.given(kClusterEndpoint))
    judge.require(is_endpoint(text(kClusterEndpoint)), kClusterEndpoint, "url", "must be an absolute URL with a host");
  judge.require(is_admin_name(text(kLinuxAdminUsername)), kLinuxAdminUsername, "pattern",
                "must match ^[A-Za-z][-A-Za-z0-9_]*$ and have at most 32 characters");

  const Value<std::string>& plugin = settings.at(kNetworkPlugin);
  const bool old_kubenet = *plugin == "kubenet" && plugin.origin().where == "azure.networkPlugin";
  judge.require(one_of(*plugin, {"azure", "none"}) || old_kubenet, kNetworkPlugin, "enum", "must be azure or none");
  judge.require(one_of(text(kNetworkPluginMode), {"overlay", ""}), kNetworkPluginMode, "enum",
                "must be overlay or empty");
  judge.require(*plugin != "none" || text(kNetworkPluginMode).empty(), kNetworkPluginMode, "network-plugin none",
                "must be empty when network-plugin is none");
  judge.require(one_of(text(kNetworkDataplane), {"cilium", "azure", ""}), kNetworkDataplane, "enum",
                "must be cilium, azure or empty");
  judge.require(text(kDnsServiceIp).empty() || contract::is_ip(text(kDnsServiceIp)), kDnsServiceIp, "ip",
                "must be an IP address");
  judge.require(text(kVnetGuid).empty() || contract::is_guid(text(kVnetGuid)), kVnetGuid, "uuid", "must be a UUID");
  const auto subnet = parse_subnet_id(text(kVnetSubnetId));
  judge.require(text(kVnetSubnetId).empty() || subnet, kVnetSubnetId, "pattern",
                fmt::format("must be {}", kSubnetId.shown));
  if (const std::string wrong = subnet ? why_misnamed(*subnet) : ""; !wrong.empty())
    judge.require(false, kVnetSubnetId, "name", wrong);
  judge.require(text(kKubeletIdentityClientId).empty() || contract::is_guid(text(kKubeletIdentityClientId)),
                kKubeletIdentityClientId, "uuid", "must be a UUID");
  judge.require(
      text(kDiskEncryptionSetId).empty() || is_disk_encryption_set(text(kDiskEncryptionSetId)), kDiskEncryptionSetId,
      "pattern",
      "must be /subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Compute/diskEncryptionSets/"
      "{name}");

  judge.require(one_of(mode, {"aksscriptless", "bootstrappingclient", "aksmachineapi", "aksmachineapiheaderbatch"}),
                kProvisionMode, "enum",
                "must be aksscriptless, bootstrappingclient, aksmachineapi or aksmachineapiheaderbatch");
  judge.require(mode != "bootstrappingclient" || settings.given(kNodeBootstrappingServerUrl),
                kNodeBootstrappingServerUrl, "provision-mode", "must be set in mode bootstrappingclient");
  judge.require(!machine_api || settings.given(kAksMachinesPoolName), kAksMachinesPoolName, "provision-mode",
                "must be set in the machine API modes");
  if (settings.flag(kUseSig)) {
    judge.require(settings.given(kSigSubscriptionId), kSigSubscriptionId, "use-sig", "must be set with use-sig");
    judge.require(machine_api || parse_http_url(text(kSigAccessTokenServerUrl)).ok(), kSigAccessTokenServerUrl,
                  "use-sig", "must be a URL with use-sig");
  }
  if (mode == "aksmachineapiheaderbatch") {
    constexpr std::chrono::nanoseconds kNone(0);
    const auto idle = parse_go_duration(text(kProviderBatchIdleDuration)).value_or(kNone);
    const auto max = parse_go_duration(text(kProviderBatchMaxDuration)).value_or(kNone);
    judge.require(idle >= kNone, kProviderBatchIdleDuration, "minimum", "must be 0 or more");
    judge.require(max >= kNone && max >= idle, kProviderBatchMaxDuration, "minimum",
                  "must be 0 or more and not below provider-batch-idle-duration");
    judge.require(is_whole_number(text(kProviderBatchMaxSize), 1, 50), kProviderBatchMaxSize, "range", "must be 1..50");
  }
  check_tags(judge, settings);
  judge.require(!(settings.given(kCloud) && settings.given(kAzureEnvironmentFilepath)), kCloud, "exclusive",
                "may not be set together with azure-environment-filepath");
  judge.require(text(kKubernetesVersion).empty() || is_release_version(text(kKubernetesVersion)), kKubernetesVersion,
                "version", "must be the three numbers of a release, such as 1.33.1");
  check_place(judge, settings, findings);
  check_cluster_id(judge, settings, findings);
  check_proxy_and_certificates(judge, settings, findings);
  if (settings.given(kCaBundle))
    check_certificates(judge, settings, kCaBundle, {text(kCaBundle)},
                       "nodes cannot verify the API server and will not join", findings);
  const std::string& token = text(kKubeletBootstrapToken);
  if (!token.empty() && !is_bootstrap_token(token))
    warn(findings, settings.named(kKubeletBootstrapToken), "token",
         "does not have the form id.secret (6 and 16 of a-z and 0-9); the API server will refuse it");
  if (settings.number(kVmMemoryOverheadPercent) > 1)
    warn(findings, settings.named(kVmMemoryOverheadPercent), "fraction",
         "is a fraction despite its name; above 1 it leaves a node without memory",
         fmt::format("for {} percent set {}", text(kVmMemoryOverheadPercent),
                     settings.number(kVmMemoryOverheadPercent) / 100));
  check_older_map(settings, findings);
  warn_of_no_effect(settings, findings);
}

}  // namespace sunup::fleet
