#include "service/schemas.h"

#include <fmt/format.h>

#include "base/text.h"
#include "contract/finding.h"
#include "contract/schema.h"
#include "render/distro.h"

namespace sunup::service {
namespace {

using nlohmann::ordered_json;

// A schema is a document of its own. If it is embedded in another document, its references must begin at its new place.
void move_references(ordered_json& node, const std::string& place) {
  if (node.is_object())
    if (const auto found = node.find("$ref"); found != node.end() && found->is_string())
      if (const auto& old = found->get_ref<const std::string&>(); old.starts_with("#")) *found = place + old.substr(1);
  if (node.is_structured())
    for (auto& child : node) move_references(child, place);
}

}  // namespace

std::string one_of_schema(const std::vector<std::string_view>& names) {
  return ordered_json{{"type", "string"}, {"enum", names}}.dump();
}

std::string distribution_schema() {
  return one_of_schema(render::distro_names());
}

// Letter case does not matter, which the dialect of JSON Schema can only say letter by letter.
std::string image_os_schema() {
  std::string pattern;
  for (const std::string_view name : render::image_name_beginnings()) {
    pattern += pattern.empty() ? "^(" : "|";
    for (const char c : name) pattern += fmt::format("[{}{}]", c, uppered({&c, 1}));
  }
  std::vector<std::string_view> examples = render::distro_names();
  std::erase_if(examples, [](std::string_view name) { return render::traits_by_image(name) == nullptr; });
  return ordered_json{{"type", "string"}, {"pattern", pattern + ")"}, {"examples", examples}}.dump();
}

ordered_json shared_schemas() {
  ordered_json config = ordered_json::parse(contract::json_schema());
  move_references(config, "#/components/schemas/AKSNodeConfig");
  config.erase("$schema");
  config.erase("$id");
  ordered_json schemas = ordered_json::parse(R"({
    "Findings": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["severity", "rule", "path", "line", "column", "message", "hint"],
        "properties": {
          "severity": {"type": "string", "enum": ["error", "warning", "note"], "description": "nodes with an error fail or differ from what was wanted"},
          "rule": {"type": "string", "description": "the rule that is violated: docs/config-check.md"},
          "path": {"type": "string", "description": "the field, as a JSON path"},
          "line": {"type": "integer", "description": "counted from 1; 0: no position in the text"},
          "column": {"type": "integer", "description": "counted from 1, in bytes; 0: no position in the text"},
          "message": {"type": "string", "description": "what is wrong"},
          "hint": {"type": "string", "description": "what to do about it; may be empty"}
        }
      }
    },
    "LaunchTemplate": {
      "type": "object",
      "description": "a node before it exists: what a controller creates the VM from",
      "required": ["apiVersion", "kind", "name", "customData", "cse", "warnings", "notes"],
      "properties": {
        "apiVersion": {"type": "string", "const": "sunup/v1", "description": "the version of this form"},
        "kind": {"type": "string", "const": "LaunchTemplate", "description": "the kind of object"},
        "name": {"type": "string", "description": "the name of the VM"},
        "nodeClaim": {"type": "string", "description": "the name of the NodeClaim"},
        "nodePool": {"type": "string", "description": "the name of the NodePool"},
        "nodeClass": {"type": "string", "description": "the name of the AKSNodeClass"},
        "location": {"type": "string", "description": "the region"},
        "vmSize": {"type": "string", "description": "the size of the VM"},
        "capacityType": {"type": "string", "description": "on-demand or spot"},
        "zone": {"type": "string", "description": "the availability zone; empty: none"},
        "kubernetesVersion": {"type": "string", "description": "the version of kubelet"},
        "bootstrap": {"type": "string", "description": "how the VM becomes a node"},
        "image": {"type": "object", "description": "the node image", "properties": {
          "id": {"type": "string", "description": "its resource ID"},
          "family": {"type": "string", "description": "the image family"},
          "distro": {"type": "string", "description": "its name in AgentBaker"},
          "version": {"type": "string", "description": "its version"}}},
        "subnetID": {"type": "string", "description": "the resource ID of the subnet"},
        "osDisk": {"type": "object", "description": "the disk of the operating system", "properties": {
          "sizeGB": {"type": "integer", "description": "its size"},
          "type": {"type": "string", "description": "Ephemeral or ManagedDisks"},
          "placement": {"type": "string", "description": "where an ephemeral disk is"},
          "diskEncryptionSetID": {"type": "string", "description": "the keys that encrypt it"}}},
        "security": {"type": "object", "description": "the security profile of the VM", "properties": {
          "encryptionAtHost": {"type": "boolean", "description": "whether the host encrypts the disks"},
          "vtpm": {"type": "boolean", "description": "whether the VM has a TPM"},
          "secureBoot": {"type": "boolean", "description": "whether only signed code boots"}}},
        "adminUsername": {"type": "string", "description": "the user who may log in"},
        "sshPublicKey": {"type": "string", "description": "the key of that user"},
        "requirements": {"type": "array", "description": "those of the NodePool", "items": {"type": "object", "properties": {
          "key": {"type": "string", "description": "the label"},
          "operator": {"type": "string", "description": "In, NotIn, Exists ..."},
          "values": {"type": "array", "items": {"type": "string"}, "description": "the values"}}}},
        "tags": {"type": "object", "additionalProperties": {"type": "string"}, "description": "of the VM and its parts"},
        "identities": {"type": "array", "items": {"type": "string"}, "description": "the resource IDs of its managed identities"},
        "hashes": {"type": "object", "additionalProperties": {"type": "string"}, "description": "the values of the annotations that drift is judged by"},
        "customData": {"type": "string", "contentEncoding": "base64", "description": "passes the config to the node"},
        "cse": {"type": ["string", "null"], "description": "the command of the script extension; null: the node needs none"},
        "warnings": {"type": "array", "items": {"type": "string"}, "description": "what is probably not meant"},
        "notes": {"type": "array", "items": {"type": "string"}, "description": "what is good to know"}
      }
    },
    "Error": {
      "type": "object",
      "required": ["error"],
      "properties": {
        "error": {"type": "string", "description": "what went wrong"},
        "hint": {"type": "string", "description": "what to do about it"},
        "errors": {
          "type": "array",
          "description": "every violated rule",
          "items": {
            "type": "object",
            "required": ["path", "rule", "message"],
            "properties": {
              "path": {"type": "string", "description": "the member of the request"},
              "rule": {"type": "string", "description": "the name of the rule"},
              "message": {"type": "string", "description": "what is wrong"},
              "hint": {"type": "string", "description": "what to do about it"}
            }
          }
        }
      }
    }
  })");
  schemas["AKSNodeConfig"] = std::move(config);
  return schemas;
}

}  // namespace sunup::service
