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

class Judge {
 public:
  Judge(const Settings& settings, Findings& findings) : settings_(settings), findings_(findings) {}

  // The value is shown only if it cannot be a credential.
  void require(bool holds, Option option, std::string_view rule, std::string_view must) {
    if (holds) return;
    const OptionRow& row = option_rows()[static_cast<size_t>(option)];
    const std::string& value = settings_.text(option);
    const bool shown = !row.secret && !value.empty() && option != Option::kSshPublicKey;
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
  const auto letter = [](char c) { return is_letter(c); };
  return !value.empty() && value.size() <= 32 && letter(value[0]) &&
         std::all_of(value.begin(), value.end(),
                     [&](char c) { return letter(c) || is_digit(c) || c == '-' || c == '_'; });
}

bool is_disk_encryption_set(const std::string& value) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= value.size();) {
    const size_t slash = std::min(value.find('/', at), value.size());
    parts.push_back(lowered(value.substr(at, slash - at)));
    at = slash + 1;
  }
  return parts.size() == 9 && parts[0].empty() && parts[1] == "subscriptions" && !parts[2].empty() &&
         parts[3] == "resourcegroups" && !parts[4].empty() && parts[5] == "providers" &&
         parts[6] == "microsoft.compute" && parts[7] == "diskencryptionsets" && !parts[8].empty();
}

void check_tags(Judge& judge, const Settings& settings) {
  const auto pairs = parse_pairs(settings.text(Option::kAdditionalTags));
  if (!pairs) return judge.require(false, Option::kAdditionalTags, "map", pairs.error().what);
  std::set<std::string> seen;
  bool lengths = true;
  bool characters = true;
  bool unique = true;
  for (const auto& [key, value] : *pairs) {
    lengths = lengths && !key.empty() && unicode::length(key) <= 512 && unicode::length(value) <= 256;
    characters = characters && key.find_first_of("<>%&\\?/") == key.npos;
    unique = unique && seen.insert(lowered(key)).second;
  }
  judge.require(lengths, Option::kAdditionalTags, "maxLength", "keys have 1 to 512 characters and values at most 256");
  judge.require(characters, Option::kAdditionalTags, "characters", "keys may not contain any of < > % & \\ ? /");
  judge.require(unique, Option::kAdditionalTags, "unique", "each key may be given once, whatever its letter case");
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

void add(Findings& findings, std::string_view rule, std::string path, std::string message, std::string hint = "") {
  findings.push_back({Severity::kWarning, std::string(rule), std::move(path), {}, std::move(message), std::move(hint)});
}

// The location of nodes, and the cloud that it belongs to.
void check_place(Judge& judge, const Settings& settings, Findings& findings) {
  const std::string& location = settings.text(Option::kLocation);
  const bool named = std::all_of(location.begin(), location.end(), is_alphanumeric);
  judge.require(named, Option::kLocation, "pattern",
                "must be the name of a location, in letters and digits: eastus, not East US");
  const std::string& path = settings.text(Option::kAzureEnvironmentFilepath);
  judge.require(path.empty() || path.starts_with('/'), Option::kAzureEnvironmentFilepath, "absolute",
                "must be an absolute path");
  if (!settings.given(Option::kCloud)) return;
  const std::string_view cloud = cloud_name(settings.text(Option::kCloud));
  judge.require(!cloud.empty(), Option::kCloud, "enum", "is not a known cloud");
  if (cloud.empty() || location.empty() || cloud == cloud_of_location(location)) return;
  add(findings, "contradiction", settings.named(Option::kCloud),
      fmt::format("is {}, but location {} is in {}; a node with an AKSNodeConfig uses its location", cloud, location,
                  cloud_of_location(location)));
}

// The name of the network security group contains the cluster ID.
void check_cluster_id(Judge& judge, const Settings& settings, Findings& findings) {
  const std::string& id = settings.text(Option::kClusterId);
  const std::string& group = settings.text(Option::kNetworkSecurityGroup);
  judge.require(id.empty() || is_cluster_id(id), Option::kClusterId, "pattern",
                "must be 8 digits, as in the name of the network security group");
  const auto digits = cluster_id_from_nsg(group);
  judge.require(group.empty() || digits, Option::kNetworkSecurityGroup, "pattern",
                "must match ^aks-agentpool-\\d{8}-nsg$, as AKS names it");
  judge.require(id.empty() || !digits || id == *digits, Option::kClusterId, "network-security-group",
                fmt::format("must be the number in network-security-group, {}", digits.value_or("")));
  if (id.empty() && group.empty() && settings.given(Option::kClusterEndpoint))
    add(findings, "assumed", settings.named(Option::kNetworkSecurityGroup),
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
      return add(findings, "certificate", settings.named(option), fmt::format("contains no PEM certificate; {}", lost));
  }
}

void check_proxy_and_certificates(Judge& judge, const Settings& settings, Findings& findings) {
  for (const Option option : {Option::kHttpProxy, Option::kHttpsProxy}) {
    const std::string& proxy = settings.text(option);
    const bool spaced = proxy.find_first_of(" \t\r\n") != proxy.npos;
    judge.require(proxy.empty() || (!spaced && parse_http_url(proxy)), option, "url",
                  "must be the URL of a proxy, such as http://proxy.example.com:3128");
  }
  if (settings.given(Option::kProxyTrustedCa))
    check_certificates(judge, settings, Option::kProxyTrustedCa, {settings.text(Option::kProxyTrustedCa)},
                       "nodes will not trust the proxy", findings);
  check_certificates(judge, settings, Option::kCustomCaCerts, settings.list(Option::kCustomCaCerts),
                     "nodes get no certificate to trust", findings);
}

}  // namespace

void check_settings(const Settings& settings, Findings& findings) {
  Judge judge(settings, findings);
  const auto text = [&](Option option) -> const std::string& { return settings.text(option); };
  const std::string& mode = text(Option::kProvisionMode);
  const bool machine_api = mode == "aksmachineapi" || mode == "aksmachineapiheaderbatch";

  for (const OptionRow& row : option_rows()) {
    const std::string& value = text(row.option);
    if (row.required) judge.require(!value.empty(), row.option, "required", "must be set");
    if (value.empty()) continue;
    if (row.type == "bool") judge.require(is_bool(value), row.option, "bool", "must be true or false");
    if (row.type == "list")
      if (const auto items = parse_list(value); !items) judge.require(false, row.option, "list", items.error().what);
    if (row.option == Option::kNodeIdentities && settings.at(row.option).origin().where == row.config_map)
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

  if (settings.given(Option::kClusterEndpoint))
    judge.require(is_endpoint(text(Option::kClusterEndpoint)), Option::kClusterEndpoint, "url",
                  "must be an absolute URL with a host");
  judge.require(is_admin_name(text(Option::kLinuxAdminUsername)), Option::kLinuxAdminUsername, "pattern",
                "must match ^[A-Za-z][-A-Za-z0-9_]*$ and have at most 32 characters");

  const Value<std::string>& plugin = settings.at(Option::kNetworkPlugin);
  const bool old_kubenet = *plugin == "kubenet" && plugin.origin().where == "azure.networkPlugin";
  judge.require(one_of(*plugin, {"azure", "none"}) || old_kubenet, Option::kNetworkPlugin, "enum",
                "must be azure or none");
  judge.require(one_of(text(Option::kNetworkPluginMode), {"overlay", ""}), Option::kNetworkPluginMode, "enum",
                "must be overlay or empty");
  judge.require(*plugin != "none" || text(Option::kNetworkPluginMode).empty(), Option::kNetworkPluginMode,
                "network-plugin none", "must be empty when network-plugin is none");
  judge.require(one_of(text(Option::kNetworkDataplane), {"cilium", "azure", ""}), Option::kNetworkDataplane, "enum",
                "must be cilium, azure or empty");
  judge.require(text(Option::kDnsServiceIp).empty() || contract::is_ip(text(Option::kDnsServiceIp)),
                Option::kDnsServiceIp, "ip", "must be an IP address");
  judge.require(text(Option::kVnetGuid).empty() || contract::is_guid(text(Option::kVnetGuid)), Option::kVnetGuid,
                "uuid", "must be a UUID");
  const auto subnet = parse_subnet_id(text(Option::kVnetSubnetId));
  judge.require(text(Option::kVnetSubnetId).empty() || subnet, Option::kVnetSubnetId, "pattern",
                fmt::format("must be {}", kSubnetId.shown));
  if (const std::string wrong = subnet ? why_misnamed(*subnet) : ""; !wrong.empty())
    judge.require(false, Option::kVnetSubnetId, "name", wrong);
  judge.require(
      text(Option::kKubeletIdentityClientId).empty() || contract::is_guid(text(Option::kKubeletIdentityClientId)),
      Option::kKubeletIdentityClientId, "uuid", "must be a UUID");
  judge.require(
      text(Option::kDiskEncryptionSetId).empty() || is_disk_encryption_set(text(Option::kDiskEncryptionSetId)),
      Option::kDiskEncryptionSetId, "pattern",
      "must be /subscriptions/{subscription}/resourceGroups/{group}/providers/Microsoft.Compute/diskEncryptionSets/"
      "{name}");

  judge.require(one_of(mode, {"aksscriptless", "bootstrappingclient", "aksmachineapi", "aksmachineapiheaderbatch"}),
                Option::kProvisionMode, "enum",
                "must be aksscriptless, bootstrappingclient, aksmachineapi or aksmachineapiheaderbatch");
  judge.require(mode != "bootstrappingclient" || settings.given(Option::kNodeBootstrappingServerUrl),
                Option::kNodeBootstrappingServerUrl, "provision-mode", "must be set in mode bootstrappingclient");
  judge.require(!machine_api || settings.given(Option::kAksMachinesPoolName), Option::kAksMachinesPoolName,
                "provision-mode", "must be set in the machine API modes");
  if (settings.flag(Option::kUseSig)) {
    judge.require(settings.given(Option::kSigSubscriptionId), Option::kSigSubscriptionId, "use-sig",
                  "must be set with use-sig");
    judge.require(machine_api || parse_http_url(text(Option::kSigAccessTokenServerUrl)).ok(),
                  Option::kSigAccessTokenServerUrl, "use-sig", "must be a URL with use-sig");
  }
  if (mode == "aksmachineapiheaderbatch") {
    constexpr std::chrono::nanoseconds kNone(0);
    const auto idle = parse_go_duration(text(Option::kProviderBatchIdleDuration)).value_or(kNone);
    const auto max = parse_go_duration(text(Option::kProviderBatchMaxDuration)).value_or(kNone);
    judge.require(idle >= kNone, Option::kProviderBatchIdleDuration, "minimum", "must be 0 or more");
    judge.require(max >= kNone && max >= idle, Option::kProviderBatchMaxDuration, "minimum",
                  "must be 0 or more and not below provider-batch-idle-duration");
    judge.require(is_whole_number(text(Option::kProviderBatchMaxSize), 1, 50), Option::kProviderBatchMaxSize, "range",
                  "must be 1..50");
  }
  check_tags(judge, settings);
  judge.require(!(settings.given(Option::kCloud) && settings.given(Option::kAzureEnvironmentFilepath)), Option::kCloud,
                "exclusive", "may not be set together with azure-environment-filepath");
  judge.require(text(Option::kKubernetesVersion).empty() || is_release_version(text(Option::kKubernetesVersion)),
                Option::kKubernetesVersion, "version", "must be the three numbers of a release, such as 1.33.1");
  check_place(judge, settings, findings);
  check_cluster_id(judge, settings, findings);
  check_proxy_and_certificates(judge, settings, findings);
  if (settings.given(Option::kCaBundle))
    check_certificates(judge, settings, Option::kCaBundle, {text(Option::kCaBundle)},
                       "nodes cannot verify the API server and will not join", findings);
  const std::string& token = text(Option::kKubeletBootstrapToken);
  if (!token.empty() && !is_bootstrap_token(token))
    findings.push_back({Severity::kWarning,
                        "token",
                        settings.named(Option::kKubeletBootstrapToken),
                        {},
                        "does not have the form id.secret (6 and 16 of a-z and 0-9); the API server will refuse it",
                        ""});
  if (settings.number(Option::kVmMemoryOverheadPercent) > 1)
    add(findings, "fraction", settings.named(Option::kVmMemoryOverheadPercent),
        "is a fraction despite its name; above 1 it leaves a node without memory",
        fmt::format("for {} percent set {}", text(Option::kVmMemoryOverheadPercent),
                    settings.number(Option::kVmMemoryOverheadPercent) / 100));
  check_older_map(settings, findings);
  warn_of_no_effect(settings, findings);
}

}  // namespace sunup::fleet
