#include "fleet/resolve/launch_template.h"

#include <nlohmann/json.hpp>

#include "base/json_writer.h"
#include "fleet/resolve/bootstrapper.h"
#include "fleet/resolve/tags.h"
#include "fleet/sources/node_class_hash.h"
#include "fleet/sources/node_pool_hash.h"

namespace sunup::fleet {
namespace {

std::string kind_start(const Resolution& node) {
  JsonWriter json;
  json.reserve(512);
  json.go_on();
  json.member("nodePool", node.pool);
  json.member("nodeClass", node.node_class);
  json.member("location", node.variables.text(Var::kLocation));
  json.member("vmSize", node.instance_type->name);
  return std::move(json).take();
}

std::string kind_middle(const NodeKind& kind) {
  const Resolution& node = kind.node;
  JsonWriter json;
  json.reserve(2048);
  json.go_on();
  json.member("kubernetesVersion", *node.kubernetes_version);
  json.member("bootstrap", bootstrapper(node.bootstrap).name());
  json.key("image");
  json.begin_object();
  json.member("id", node.image.id);
  json.member("family", node.image.family->name);
  json.member("distro", node.image.definition->distro);
  json.member("version", node.image.version);
  json.end_object();
  json.member("subnetID", *node.subnet_id);
  json.key("osDisk");
  json.begin_object();
  json.key("sizeGB");
  json.number(node.os_disk.size_gb);
  json.member("type", node.os_disk.ephemeral ? "Ephemeral" : "ManagedDisks");
  if (node.os_disk.ephemeral) json.member("placement", node.os_disk.placement);
  if (!node.disk_encryption_set->empty()) json.member("diskEncryptionSetID", *node.disk_encryption_set);
  json.end_object();
  json.key("security");
  json.begin_object();
  for (const auto& [name, on] :
       {std::pair{"encryptionAtHost", node.from_class->encryption_at_host}, std::pair{"vtpm", node.from_class->vtpm},
        std::pair{"secureBoot", node.from_class->secure_boot}}) {
    json.key(name);
    json.boolean(on);
  }
  json.end_object();
  json.member("adminUsername", node.variables.text(Var::kAdminUsername));
  json.member("sshPublicKey", node.settings->text(Option::kSshPublicKey));
  json.key("requirements");
  json.begin_array();
  if (node.from_pool != nullptr) {
    for (const Requirement& requirement : node.from_pool->requirements) {
      json.begin_object();
      json.member("key", requirement.key);
      json.member("operator", requirement.op);
      json.key("values");
      json.begin_array();
      for (const std::string& value : requirement.values) json.text(value);
      json.end_array();
      json.end_object();
    }
  }
  json.end_array();
  json.key("tags");
  json.begin_object();
  node.tags.each([&](const std::string& key, const Value<std::string>& value) { json.member(key, *value); });
  json.end_object();
  json.key("identities");
  json.begin_array();
  for (const std::string& identity : node.identities) json.text(identity);
  json.end_array();
  json.key("hashes");
  json.begin_object();
  json.member("nodeClass", node.node_class_hash);
  json.member("nodeClassVersion", kNodeClassHashVersion);
  if (!node.node_pool_hash.empty()) {
    json.member("nodePool", node.node_pool_hash);
    json.member("nodePoolVersion", kNodePoolHashVersion);
  }
  json.member("inPlaceUpdate", kind.in_place_update_hash);
  json.end_object();
  return std::move(json).take();
}

}  // namespace

Result<LaunchTemplate> make_launch_template(const Resolution& node) {
  auto data = node.kind->frame->fill(node);
  if (!data) return std::move(data).error();
  return LaunchTemplate{std::move(data->custom_data), std::move(data->cse), node.kind->in_place_update_hash};
}

std::string launch_template_json(const Resolution& node, const LaunchTemplate& made) {
  return launch_template_head(node.claim) + launch_template_tail(node, made);
}

std::string launch_template_head(std::string_view claim) {
  JsonWriter json;
  json.reserve(256);
  json.begin_object();
  json.member("apiVersion", "sunup/v1");
  json.member("kind", "LaunchTemplate");
  json.member("name", vm_name(claim));
  json.member("nodeClaim", claim);
  return std::move(json).take();
}

void render_kind(NodeKind& kind) {
  const Resolution& node = kind.node;
  std::map<std::string, std::string> tags;
  node.tags.each(
      [&](const std::string& key, const Value<std::string>& value) { tags.emplace_hint(tags.end(), key, *value); });
  kind.in_place_update_hash = in_place_update_hash(tags, node.identities);
  kind.template_start = kind_start(node);
  kind.template_middle = kind_middle(kind);
}

std::string launch_template_tail(const Resolution& node, const LaunchTemplate& made) {
  const NodeKind& kind = *node.kind;
  JsonWriter json;
  json.reserve(kind.template_start.size() + kind.template_middle.size() + made.custom_data.size() + 512);
  json.splice(kind.template_start);
  json.member("capacityType", node.capacity_type.value);
  json.member("zone", node.zone.value);
  json.splice(kind.template_middle);
  json.key("customData");
  json.raw("\"" + made.custom_data + "\"");  // base64 needs no escapes
  json.key("cse");
  if (made.cse)
    json.text(*made.cse);
  else
    json.raw("null");
  for (const auto& [name, severity] :
       {std::pair{"warnings", Severity::kWarning}, std::pair{"notes", Severity::kNote}}) {
    json.key(name);
    json.begin_array();
    for (const Finding& finding : node.warnings)
      if (finding.severity == severity)
        json.text(finding.path + ": " + finding.message + (finding.hint.empty() ? "" : "; " + finding.hint));
    json.end_array();
  }
  json.end_object();
  return std::move(json).take();
}

std::string launch_template_text(const Resolution& node, const LaunchTemplate& made) {
  return nlohmann::ordered_json::parse(launch_template_json(node, made)).dump(2);
}

}  // namespace sunup::fleet
