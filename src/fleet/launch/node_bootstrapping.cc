#include "fleet/launch/node_bootstrapping.h"

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "fleet/launch/node_config.h"
#include "fleet/launch/provision_profile.h"
#include "fleet/resolve/node_labels.h"
#include "fleet/resolve/resolver.h"
#include "render/custom_data.h"
#include "render/vmss.h"

namespace sunup::fleet {
namespace {

constexpr std::string_view kProfile = "provisionProfile";

// Replaces the token while the config is checked; only the client knows the real one.
constexpr char kAnyToken[] = "000000.0000000000000000";

Settings settings_for(const ProvisionProfile& profile, Settings settings) {
  const auto set = [&settings](Option option, std::string_view where, std::string value) {
    settings.at(option) = Value<std::string>(Source::kNodeClaim, where, std::move(value));
  };
  set(Option::kKubernetesVersion, "provisionProfile.orchestratorVersion", profile.kubernetes_version);
  set(Option::kVnetSubnetId, "provisionProfile.vnetSubnetID", profile.subnet_id);
  set(Option::kKubeletBootstrapToken, kProfile, kAnyToken);
  if (profile.definition->fips) set(Option::kUseSig, "provisionProfile.distro", "true");
  // The response is always a config, regardless of the mode in the settings. The client does not consider hardening
  // when it schedules.
  set(Option::kProvisionMode, kProfile, "bootstrappingclient");
  return settings;
}

// The client has chosen the image, so the family contains only its definition.
ImageFamily only_the_distro(const ProvisionProfile& profile) {
  ImageFamily family = *profile.family;
  family.images = {profile.definition, 1};
  family.serves = [](const FamilyQuery&) { return true; };
  family.since = nullptr;
  return family;
}

// The client has also chosen the labels, including those of a size or a class if they are wanted.
ValueMap labels_of(const ProvisionProfile& profile) {
  ValueMap labels;
  for (const auto& [key, value] : profile.labels)
    if (contract::kubelet_may_set(key))
      labels.offer(key, Source::kNodeClaim, "provisionProfile.customNodeLabels", value);
  return labels;
}

}  // namespace

Result<NodeBootstrapping> node_bootstrapping(const nlohmann::json& values, const Settings& settings,
                                             const ImageVersions& versions,
                                             const std::optional<render::ResultService>& results) {
  auto profile = read_provision_values(values);
  if (!profile) return std::move(profile).error();
  const ImageFamily family = only_the_distro(*profile);
  const ImageFamily* families[] = {&family};
  Resolver resolver(settings_for(*profile, settings), {}, ImageProvider(versions, families), refuse_node_config);
  NodeClaim claim;
  claim.name = "node";
  claim.taints = profile->taints;
  claim.startup_taints = profile->startup_taints;
  auto node = resolver.resolve({nullptr, &profile->node_class, &claim, &profile->size});
  if (!node) return std::move(node).error();
  node->labels = labels_of(*profile);

  contract::Configuration config = node_config(*node);
  config.mutable_bootstrapping_config()->set_tls_bootstrapping_token(std::string(kTokenPlaceholder));
  if (!profile->ssh) config.set_enable_ssh(false);
  if (!profile->message_of_the_day.empty()) config.set_message_of_the_day(profile->message_of_the_day);
  if (profile->kubelet_on_temporary_disk)
    config.mutable_kubelet_config()->set_kubelet_disk_type(aksnodeconfig::v1::KUBELET_DISK_TEMP_DISK);
  const auto form = render::form_for_os(family.custom_data_os);
  if (!form) return form.error();
  auto data = render::custom_data(config, {.form = *form, .placeholder = kTokenPlaceholder, .results = results});
  if (!data) return std::move(data).error();
  return NodeBootstrapping{base64_encode(*data),
                           std::string(render::kCseCommand),
                           family.gallery.sig_resource_group,
                           family.gallery.sig_gallery,
                           profile->definition->name,
                           node->kind->image.version,
                           settings.text(Option::kSigSubscriptionId)};
}

Settings read_cluster_settings(const std::vector<Document>& documents, Findings& findings) {
  Settings settings = read_settings(documents, {}, findings);
  Settings judged = settings;
  const auto stand_in = [&judged](Option option, const char* value) {
    if (!judged.given(option)) judged.at(option) = Value<std::string>(Source::kSettings, kProfile, value);
  };
  stand_in(Option::kKubeletBootstrapToken, kAnyToken);
  stand_in(Option::kSshPublicKey, "ssh-ed25519 AAAA node");
  stand_in(Option::kVnetSubnetId,
           "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/n");
  check_settings(judged, findings);
  return settings;
}

std::string node_bootstrapping_json(const NodeBootstrapping& made) {
  const nlohmann::ordered_json answer = {
      {"customData", made.custom_data},
      {"cse", made.cse},
      {"osImageConfig", nlohmann::ordered_json::object()},
      {"sigImageConfig",
       {{"sigImageConfigTemplate",
         {{"resourceGroup", made.resource_group},
          {"gallery", made.gallery},
          {"definition", made.definition},
          {"version", made.image_version}}},
        {"subscriptionID", made.subscription}}},
  };
  return answer.dump();
}

}  // namespace sunup::fleet
