#include "fleet/launch/azure_request.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "base/json_member.h"
#include "base/text.h"
#include "fleet/sources/patterns.h"

namespace sunup::fleet {
namespace {

using nlohmann::ordered_json;

ordered_json os_profile(const LaunchTemplate& made, const Settings& settings) {
  const std::string& admin = settings.text(Option::kLinuxAdminUsername);
  return {
      {"adminUsername", admin},
      {"customData", made.custom_data},
      {"linuxConfiguration",
       {{"disablePasswordAuthentication", true},
        {"ssh",
         {{"publicKeys", ordered_json::array({{{"path", fmt::format("/home/{}/.ssh/authorized_keys", admin)},
                                               {"keyData", settings.text(Option::kSshPublicKey)}}})}}}}},
  };
}

ordered_json storage_profile(const Resolution& node, const Settings& settings, bool scale_set) {
  ordered_json disk = {{"createOption", "FromImage"}, {"diskSizeGB", node.kind->os_disk.size_gb}};
  if (!scale_set) {
    disk["name"] = node.vm_name;
    disk["deleteOption"] = "Delete";
  }
  if (node.kind->os_disk.ephemeral) {
    disk["caching"] = "ReadOnly";
    disk["diffDiskSettings"] = {{"option", "Local"}, {"placement", node.kind->os_disk.placement}};
  }
  if (settings.given(Option::kDiskEncryptionSetId))
    disk["managedDisk"] = {{"diskEncryptionSet", {{"id", settings.text(Option::kDiskEncryptionSetId)}}}};
  return {{"imageReference", {{node.kind->image.shared ? "id" : "communityGalleryImageId", node.kind->image.id}}},
          {"osDisk", std::move(disk)}};
}

void add_security(ordered_json& properties, const NodeClass& node_class) {
  if (!node_class.encryption_at_host && !node_class.trusted_launch()) return;
  ordered_json security = ordered_json::object();
  if (node_class.encryption_at_host) security["encryptionAtHost"] = true;
  if (node_class.trusted_launch()) {
    security["securityType"] = "TrustedLaunch";
    security["uefiSettings"] = {{"secureBootEnabled", node_class.secure_boot}, {"vTpmEnabled", node_class.vtpm}};
  }
  properties["securityProfile"] = std::move(security);
}

void add_priority(ordered_json& properties, const Resolution& node) {
  if (node.capacity_type.value != "spot") return;
  properties["priority"] = "Spot";
  properties["evictionPolicy"] = "Delete";
  properties["billingProfile"] = {{"maxPrice", -1}};
}

ordered_json tags(const Resolution& node) {
  ordered_json result = ordered_json::object();
  node.kind->tags.each(
      [&](const std::string& key, const Value<std::string>& value) { append_member(result, key, *value); });
  return result;
}

// The script extension if there is a command for it, and the billing extension if the cloud has it.
ordered_json extensions(const LaunchTemplate& made, const Settings& settings) {
  ordered_json list = ordered_json::array();
  if (made.cse)
    list.push_back({{"name", "cse-agent-karpenter"},
                    {"properties",
                     {{"publisher", "Microsoft.Azure.Extensions"},
                      {"type", "CustomScript"},
                      {"typeHandlerVersion", "2.0"},
                      {"autoUpgradeMinorVersion", true},
                      {"settings", ordered_json::object()},
                      {"protectedSettings", {{"commandToExecute", *made.cse}}}}}});
  const std::string cloud = lowered(settings.text(Option::kCloud));
  const bool billed = cloud.empty() || cloud.starts_with("azurepublic") || cloud.starts_with("azurechina") ||
                      cloud.starts_with("azureusgovernment");
  if (billed && !settings.given(Option::kAzureEnvironmentFilepath))
    list.push_back({{"name", "computeAksLinuxBilling"},
                    {"properties",
                     {{"publisher", "Microsoft.AKS"},
                      {"type", "Compute.AKS.Linux.Billing"},
                      {"typeHandlerVersion", "1.0"},
                      {"autoUpgradeMinorVersion", true},
                      {"settings", ordered_json::object()}}}});
  return list;
}

// The network security group of the NIC. AKS attaches the group to the subnet of a network that it manages; in a
// network of the user, each NIC needs it.
ordered_json security_group(const Resolution& node, const Settings& settings) {
  const bool managed = is_managed_network(node.kind->subnet, settings.text(Option::kNodeResourceGroup));
  const std::string& name = *node.kind->cluster->security_group;
  if (managed || name.empty()) return nullptr;
  return {{"id", fmt::format("/subscriptions/{}/resourceGroups/{}/providers/Microsoft.Network/networkSecurityGroups/{}",
                             settings.text(Option::kSubscriptionId), settings.text(Option::kNodeResourceGroup), name)}};
}

void add_identities(ordered_json& machine, const Resolution& node) {
  if (node.kind->identities.empty()) return;
  ordered_json identities = ordered_json::object();
  std::set<std::string_view> known;
  for (const std::string& identity : node.kind->identities)
    if (known.insert(identity).second) append_member(identities, identity, ordered_json::object());
  machine["identity"] = {{"type", "UserAssigned"}, {"userAssignedIdentities", std::move(identities)}};
}

void add_zone(ordered_json& machine, const Resolution& node) {
  if (!node.zone.value.empty()) machine["zones"] = {zone_number(node.zone.value)};
}

// With Azure CNI without overlay, each pod has an address of the node's subnet.
ordered_json ip_configurations(const Resolution& node, const Settings& settings) {
  const auto one = [&node](const std::string& name, bool primary) {
    return ordered_json{{"name", name},
                        {"properties",
                         {{"primary", primary},
                          {"privateIPAllocationMethod", "Dynamic"},
                          {"subnet", {{"id", *node.kind->subnet_id}}}}}};
  };
  ordered_json list = ordered_json::array({one(node.vm_name, true)});
  if (settings.text(Option::kNetworkPlugin) == "azure" && !settings.overlay()) {
    const int max_pods = std::stoi(*node.kubelet_flags.find("--max-pods"));
    for (int i = 1; i < max_pods; ++i) list.push_back(one(fmt::format("ipconfig{}", i), false));
  }
  return list;
}

}  // namespace

ordered_json virtual_machine_request(const Resolution& node, const LaunchTemplate& made) {
  const Settings& settings = *node.kind->settings;
  const std::string& location = *node.kind->cluster->location;
  const std::string nic_id =
      fmt::format("/subscriptions/{}/resourceGroups/{}/providers/Microsoft.Network/networkInterfaces/{}",
                  settings.text(Option::kSubscriptionId), settings.text(Option::kNodeResourceGroup), node.vm_name);
  ordered_json profile = os_profile(made, settings);
  profile["computerName"] = node.vm_name;

  ordered_json properties = {
      {"hardwareProfile", {{"vmSize", node.kind->instance_type->name}}},
      {"storageProfile", storage_profile(node, settings, false)},
      {"osProfile", std::move(profile)},
      {"networkProfile",
       {{"networkInterfaces",
         ordered_json::array({{{"id", nic_id}, {"properties", {{"primary", true}, {"deleteOption", "Delete"}}}}})}}},
  };
  add_security(properties, *node.kind->from_class);
  add_priority(properties, node);

  ordered_json machine = {{"name", node.vm_name}, {"location", location}, {"tags", tags(node)}};
  add_zone(machine, node);
  add_identities(machine, node);
  machine["properties"] = std::move(properties);
  ordered_json nic = {{"enableAcceleratedNetworking", node.kind->instance_type->accelerated_networking},
                      {"enableIPForwarding", false},
                      {"ipConfigurations", ip_configurations(node, settings)}};
  if (ordered_json group = security_group(node, settings); !group.is_null())
    nic["networkSecurityGroup"] = std::move(group);
  return {{"networkInterface",
           {{"name", node.vm_name}, {"location", location}, {"tags", tags(node)}, {"properties", std::move(nic)}}},
          {"virtualMachine", std::move(machine)},
          {"extensions", extensions(made, settings)}};
}

Result<ordered_json> scale_set_request(const Resolution& node, const LaunchTemplate& made) {
  const Settings& settings = *node.kind->settings;
  if (node.vm_name.size() > kLongestNamePrefix)
    return Error(fmt::format("{} has {} characters; the computer name prefix of a scale set has at most {}",
                             node.vm_name, node.vm_name.size(), kLongestNamePrefix))
        .with_hint("give the claim a shorter name");
  ordered_json os = os_profile(made, settings);
  os["computerNamePrefix"] = node.vm_name;
  ordered_json nic = {{"primary", true},
                      {"enableAcceleratedNetworking", node.kind->instance_type->accelerated_networking},
                      {"ipConfigurations", ip_configurations(node, settings)}};
  if (ordered_json group = security_group(node, settings); !group.is_null())
    nic["networkSecurityGroup"] = std::move(group);
  ordered_json profile = {
      {"osProfile", std::move(os)},
      {"storageProfile", storage_profile(node, settings, true)},
      {"networkProfile",
       {{"networkInterfaceConfigurations",
         ordered_json::array({{{"name", node.vm_name}, {"properties", std::move(nic)}}})}}},
      {"extensionProfile", {{"extensions", extensions(made, settings)}}},
  };
  add_security(profile, *node.kind->from_class);
  add_priority(profile, node);
  ordered_json set = {{"name", node.vm_name},
                      {"location", *node.kind->cluster->location},
                      {"tags", tags(node)},
                      {"sku", {{"name", node.kind->instance_type->name}, {"tier", "Standard"}}}};
  add_zone(set, node);
  add_identities(set, node);
  set["properties"] = {{"virtualMachineProfile", std::move(profile)}};
  return set;
}

}  // namespace sunup::fleet
