#include "fleet/launch/launch_template.h"

#include <set>

#include "base/base64.h"
#include "base/fnv.h"
#include "base/json_writer.h"
#include "contract/write.h"
#include "fleet/launch/bootstrap_script.h"
#include "fleet/launch/node_config.h"
#include "fleet/sources/node_class_hash.h"
#include "fleet/sources/node_pool_hash.h"
#include "render/custom_data.h"
#include "render/vmss.h"

namespace sunup::fleet {
namespace {

Result<std::string> config_data(const Resolution& node, const KindLaunch& kind,
                                const std::optional<render::ResultService>& results) {
  auto form = render::form_for_os(node.kind->image.family->custom_data_os);
  if (!form) return std::move(form).error();
  std::string text = contract::to_json(kind.config_wire, [&](std::string_view field, const contract::MapEntry& entry) {
    const ValueMap* values = field == "kubelet_flags"         ? &node.kubelet_flags
                             : field == "kubelet_node_labels" ? &node.labels
                                                              : nullptr;
    if (values == nullptr) return false;
    values->each([&entry](const std::string& key, const Value<std::string>& value) { entry(key, *value); });
    return true;
  });
  auto data = render::custom_data(*kind.config, {.form = *form, .verbatim = std::move(text), .results = results});
  if (!data)  // with the whole config, the error names its largest fields
    data = render::custom_data(node_config(node), {.form = *form, .results = results});
  if (!data) return std::move(data).error().in("custom data of " + node.vm_name);
  return base64_encode(*data);
}

void write_image_and_disk(JsonWriter& json, const NodeKind& kind) {
  json.key("image");
  json.begin_object();
  json.member("id", kind.image.id);
  json.member("family", kind.image.family->name);
  json.member("distro", kind.image.definition->distro);
  json.member("version", kind.image.version);
  json.end_object();
  json.member("subnetID", *kind.subnet_id);
  json.key("osDisk");
  json.begin_object();
  json.key("sizeGB");
  json.number(kind.os_disk.size_gb);
  json.member("type", kind.os_disk.ephemeral ? "Ephemeral" : "ManagedDisks");
  if (kind.os_disk.ephemeral) json.member("placement", kind.os_disk.placement);
  if (!kind.disk_encryption_set->empty()) json.member("diskEncryptionSetID", *kind.disk_encryption_set);
  json.end_object();
  json.key("security");
  json.begin_object();
  for (const auto& [name, on] :
       {std::pair{"encryptionAtHost", kind.from_class->encryption_at_host}, std::pair{"vtpm", kind.from_class->vtpm},
        std::pair{"secureBoot", kind.from_class->secure_boot}}) {
    json.key(name);
    json.boolean(on);
  }
  json.end_object();
}

void write_texts(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
  json.key(name);
  json.begin_array();
  for (const std::string& text : texts) json.text(text);
  json.end_array();
}

void write_requirements(JsonWriter& json, const NodePool* pool) {
  json.key("requirements");
  json.begin_array();
  if (pool != nullptr) {
    for (const Requirement& requirement : pool->requirements) {
      json.begin_object();
      json.member("key", requirement.key);
      json.member("operator", requirement.op);
      write_texts(json, "values", requirement.values);
      json.end_object();
    }
  }
  json.end_array();
}

void write_findings(JsonWriter& json, std::string_view name, const Findings& findings, Severity severity) {
  json.key(name);
  json.begin_array();
  for (const Finding& finding : findings)
    if (finding.severity == severity)
      json.text(finding.path + ": " + finding.message + (finding.hint.empty() ? "" : "; " + finding.hint));
  json.end_array();
}

std::string rendered(const Resolution& node, const LaunchTemplate& made, const JsonLayout& layout) {
  const NodeKind& kind = *node.kind;
  JsonWriter json(layout);
  json.reserve(made.custom_data.size() + (8u << 10));
  json.begin_object();
  json.member("apiVersion", "sunup/v1");
  json.member("kind", "LaunchTemplate");
  json.member("name", node.vm_name);
  json.member("nodeClaim", node.claim);
  json.member("nodePool", kind.pool);
  json.member("nodeClass", kind.node_class);
  json.member("location", *kind.cluster->location);
  json.member("vmSize", kind.instance_type->name);
  json.member("capacityType", node.capacity_type.value);
  json.member("zone", node.zone.value);
  json.member("kubernetesVersion", *kind.kubernetes_version);
  json.member("bootstrap", bootstrap_name(kind.bootstrap));
  write_image_and_disk(json, kind);
  json.member("adminUsername", *kind.cluster->admin_username);
  json.member("sshPublicKey", kind.settings->text(Option::kSshPublicKey));
  write_requirements(json, kind.from_pool);
  json.key("tags");
  json.begin_object();
  kind.tags.each([&](const std::string& key, const Value<std::string>& value) { json.member(key, *value); });
  json.end_object();
  write_texts(json, "identities", kind.identities);
  json.key("hashes");
  json.begin_object();
  json.member("nodeClass", kind.node_class_hash);
  json.member("nodeClassVersion", kNodeClassHashVersion);
  if (!kind.node_pool_hash.empty()) {
    json.member("nodePool", kind.node_pool_hash);
    json.member("nodePoolVersion", kNodePoolHashVersion);
  }
  json.member("inPlaceUpdate", made.in_place_update_hash);
  json.end_object();
  json.key("customData");
  json.plain_text(made.custom_data);
  json.key("cse");
  if (made.cse)
    json.text(*made.cse);
  else
    json.raw("null");
  write_findings(json, "warnings", node.warnings, Severity::kWarning);
  write_findings(json, "notes", node.warnings, Severity::kNote);
  json.end_object();
  return std::move(json).take();
}

}  // namespace

KindLaunch::KindLaunch(const NodeKind& kind) {
  if (kind.bootstrap == Bootstrap::kNodeConfig)
    config_wire = config.emplace(kind_config(kind)).SerializeAsString();
  else
    variables.emplace(kind);
  std::map<std::string, std::string> tags;
  kind.tags.each(
      [&](const std::string& key, const Value<std::string>& value) { tags.emplace_hint(tags.end(), key, *value); });
  in_place_update_hash = fleet::in_place_update_hash(tags, kind.identities);
}

Result<LaunchTemplate> make_launch_template(const Resolution& node,
                                            const std::optional<render::ResultService>& results) {
  return make_launch_template(node, KindLaunch(*node.kind), results);
}

Result<LaunchTemplate> make_launch_template(const Resolution& node, const KindLaunch& kind,
                                            const std::optional<render::ResultService>& results) {
  if (node.kind->bootstrap == Bootstrap::kScriptless)
    return LaunchTemplate{base64_encode(bootstrap_script(BootstrapVariables(*kind.variables, node))), std::nullopt,
                          kind.in_place_update_hash};
  auto data = config_data(node, kind, results);
  if (!data) return std::move(data).error();
  return LaunchTemplate{*std::move(data), std::string(render::kCseCommand), kind.in_place_update_hash};
}

std::string launch_template_json(const Resolution& node, const LaunchTemplate& made) {
  return rendered(node, made, {});
}

std::string launch_template_text(const Resolution& node, const LaunchTemplate& made) {
  return rendered(node, made, {.indent = 2, .escapes = JsonEscapes::kMinimal});
}

std::string in_place_update_hash(const std::map<std::string, std::string>& tags,
                                 const std::vector<std::string>& identities) {
  JsonWriter json;
  json.begin_object();
  if (!identities.empty()) {
    json.key("identities");
    json.begin_object();
    for (const std::string& identity : std::set<std::string>(identities.begin(), identities.end()))
      json.raw_member(identity, "{}");
    json.end_object();
  }
  if (!tags.empty()) {
    json.key("tags");
    json.begin_object();
    for (const auto& [key, value] : tags) json.member(key, value);
    json.end_object();
  }
  json.end_object();
  return std::to_string(fnv1a_32(std::move(json).take()));
}

}  // namespace sunup::fleet
