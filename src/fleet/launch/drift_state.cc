#include "fleet/launch/drift_state.h"

#include <fmt/format.h>

#include "azure/custom_data.h"
#include "base/base64.h"
#include "base/node_paths.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "fleet/launch/launch_template.h"
#include "fleet/resolve/constraints.h"
#include "fleet/sources/conditions.h"
#include "fleet/sources/label_keys.h"
#include "fleet/sources/node_class.h"
#include "fleet/sources/node_class_hash.h"
#include "fleet/sources/node_pool_hash.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;

constexpr std::string_view kInPlaceField = "inPlaceUpdateHash";

bool name_char(char c) {
  return is_alphanumeric(c) || c == '_';
}

// "--a=b --c=d" or "k=v,k=v"
void split_pairs(std::string_view text, char separator, const std::string& prefix,
                 std::map<std::string, std::string>& into) {
  while (!text.empty()) {
    const std::string_view pair = take_until(text, separator);
    const size_t equals = std::min(pair.find('='), pair.size());
    if (!pair.empty())
      into[prefix + std::string(pair.substr(0, equals))] = std::string(pair.substr(std::min(equals + 1, pair.size())));
  }
}

Result<void> open_custom_data(const std::string& encoded, DriftState& state) {
  const auto data = base64_decode(encoded);
  if (!data) return Error("customData is not base64");
  if (!data->starts_with("#!")) {
    const auto content = azure::read_custom_data(*data);
    if (!content) return content.error().in("customData");
    const azure::NodeFile* config = content->file(paths::kNodeConfig);
    if (config == nullptr)
      return Error("customData: no node config in this custom data")
          .with_hint("sunup reads what `sunup render custom-data` wrote, in any form");
    auto loaded = contract::load_text(config->content, "customData");
    if (!loaded) return std::move(loaded).error();
    // Both generations contain the same kubelet settings, which are compared under the same names.
    auto& kubelet = *loaded->config.mutable_kubelet_config();
    for (const auto& [flag, value] : kubelet.kubelet_flags()) state.fields["kubeletFlags." + flag] = value;
    for (const auto& [label, value] : kubelet.kubelet_node_labels()) state.fields["labels." + label] = value;
    kubelet.clear_kubelet_flags();
    kubelet.clear_kubelet_node_labels();
    state.config = std::move(loaded->config);
    return {};
  }
  for (auto& [name, value] : script_variables(*data)) {
    if (name == "KUBELET_FLAGS")
      split_pairs(value, ' ', "kubeletFlags.", state.fields);
    else if (name == "KUBELET_NODE_LABELS")
      split_pairs(value, ',', "labels.", state.fields);
    else
      state.fields["variables." + name] = std::move(value);
  }
  return {};
}

void flatten(const json& value, const std::string& path, std::map<std::string, std::string>& into) {
  if (value.is_object()) {
    for (const auto& [key, item] : value.items()) flatten(item, path.empty() ? key : path + "." + key, into);
  } else {
    into[path] = value.is_string() ? value.get<std::string>() : value.dump();
  }
}

Result<DriftState> read_template(const json& document) {
  DriftState state;
  state.whole = true;
  for (const char* name : {"vmSize", "capacityType", "zone", "kubernetesVersion", "bootstrap", "subnetID",
                           "adminUsername", "sshPublicKey"})
    if (document.contains(name)) flatten(document[name], name, state.fields);
  for (const char* name : {"osDisk", "security", "tags"})
    if (document.contains(name)) flatten(document[name], name, state.fields);
  if (document.contains("image")) state.fields["image.id"] = document["image"].value("id", "");
  for (const json& identity : document.value("identities", json::array()))
    state.fields["identities." + identity.get<std::string>()] = "attached";
  if (document.contains("hashes")) {
    const json& hashes = document["hashes"];
    for (const char* name : {"nodeClass", "nodePool"}) {
      const std::string field = std::string(name) + "Hash";
      if (!hashes.contains(name)) continue;
      state.fields[field] = hashes.value(name, "");
      state.fields[field + "Version"] = hashes.value(std::string(name) + "Version", "");
    }
    if (hashes.contains("inPlaceUpdate")) state.fields[std::string(kInPlaceField)] = hashes.value("inPlaceUpdate", "");
  }
  if (document.contains("requirements")) {
    state.requirements.emplace();
    for (const json& one : document["requirements"])
      state.requirements->push_back(
          {one.value("key", ""), one.value("operator", ""), one.value("values", std::vector<std::string>{})});
  }
  if (auto opened = open_custom_data(document.value("customData", ""), state); !opened) return opened.error();
  return state;
}

// The labels of a Node and its claim that describe the machine. If both have a label, the values are equal.
void show_labels(const json& labels, DriftState& state) {
  for (const auto& [key, value] : labels.items()) {
    const std::string_view name = stable_label(key);
    state.shown_labels[std::string(name)] = value.get<std::string>();
    if (name == kInstanceTypeLabel) state.fields["vmSize"] = value.get<std::string>();
    if (name == kCapacityTypeLabel) state.fields["capacityType"] = value.get<std::string>();
    if (name == kZoneLabel) state.fields["zone"] = value.get<std::string>();
  }
}

void read_node(const json& node, DriftState& state) {
  const json status = node.value("status", json::object());
  const std::string version = status.value("nodeInfo", json::object()).value("kubeletVersion", "");
  if (!version.empty()) state.fields["kubernetesVersion"] = version.starts_with('v') ? version.substr(1) : version;
  const json labels = node.value("metadata", json::object()).value("labels", json::object());
  for (const auto& [key, value] : labels.items()) state.fields["labels." + key] = value.get<std::string>();
  show_labels(labels, state);
}

void read_claim(const json& claim, DriftState& state) {
  show_labels(claim.value("metadata", json::object()).value("labels", json::object()), state);
  const json annotations = claim.value("metadata", json::object()).value("annotations", json::object());
  for (const auto& [annotation, field] : {std::pair{kNodeClassHashAnnotation, "nodeClassHash"},
                                          std::pair{kNodeClassHashVersionAnnotation, "nodeClassHashVersion"},
                                          std::pair{kNodePoolHashAnnotation, "nodePoolHash"},
                                          std::pair{kNodePoolHashVersionAnnotation, "nodePoolHashVersion"},
                                          std::pair{kInPlaceHashAnnotation, kInPlaceField.data()}})
    if (annotations.contains(annotation)) state.fields[field] = annotations[std::string(annotation)].get<std::string>();
  for (const json& condition : claim.value("status", json::object()).value("conditions", json::array()))
    if (text_of(condition, "type") == "Registered") state.unregistered = text_of(condition, "status") != "True";
  const std::string image = claim.value("status", json::object()).value("imageID", "");
  if (!image.empty()) state.fields["image.id"] = image;
}

// The class of a node determines whether a controller compares the version and the image at all.
void read_class(const json& node_class, DriftState& state) {
  for (const char* condition : {"KubernetesVersionReady", "ImagesReady"})
    if (!condition_holds(node_class, condition)) state.unready.emplace_back(condition);
}

bool is_machine(const json& object) {
  const std::string type = lowered(text_of(object, "type"));
  return type == "microsoft.containerservice/managedclusters/agentpools/machines";
}

// For its machines, AKS reports whether the configuration of the cluster has changed since they were created.
void read_machine(const json& machine, DriftState& state) {
  state.machine = true;
  const json& properties = member_of(machine, "properties");
  const json& status = member_of(properties, "status");
  for (const auto& [name, value] : member_of(properties, "tags").items())
    if (value.is_string()) state.machine_tags[name] = value.get<std::string>();
  const std::string action = text_of(status, "driftAction");
  if (action.empty() || action == "Synced") return;
  const std::string reason = text_of(status, "driftReason");
  state.fields["machine.driftAction"] = reason.empty() ? action : fmt::format("{} ({})", action, reason);
}

std::string name_of(const json& object) {
  return object.value("metadata", json::object()).value("name", "");
}

// A report covers one node. With several nodes, the last one would hide the others.
std::optional<Error> refuse_several(const json& items) {
  for (const char* kind : {"Node", "NodeClaim"}) {
    std::string names;
    int count = 0;
    for (const json& item : items) {
      if (item.value("kind", "") != kind) continue;
      names += (count++ == 0 ? "" : ", ") + name_of(item);
    }
    if (count > 1)
      return Error(fmt::format("contains {} objects of kind {} ({}); drift compares one node", count, kind, names))
          .with_hint("compare each node separately, with its own claim");
  }
  std::string node;
  std::string claims_node;
  for (const json& item : items) {
    if (item.value("kind", "") == "Node") node = name_of(item);
    if (item.value("kind", "") == "NodeClaim") claims_node = item.value("status", json::object()).value("nodeName", "");
  }
  if (!node.empty() && !claims_node.empty() && node != claims_node)
    return Error(fmt::format("contains the Node {} and the NodeClaim of another node, {}", node, claims_node))
        .with_hint("give a node with its own claim");
  return std::nullopt;
}

}  // namespace

std::map<std::string, std::string> script_variables(std::string_view script) {
  std::map<std::string, std::string> variables;
  for (size_t at = 0; at < script.size();) {
    size_t name_end = at;
    while (name_end < script.size() && name_char(script[name_end])) ++name_end;
    if (name_end > at && name_end < script.size() && script[name_end] == '=') {
      const std::string name(script.substr(at, name_end - at));
      ShellWord word = shell_word(script.substr(name_end + 1), {.ends = " \n"});
      at = name_end + 1 + word.length;
      variables[name] = std::move(word.value);
    }
    at = std::min(script.find('\n', at), script.size() - 1) + 1;
  }
  return variables;
}

Result<DriftState> read_drift_state(const json& document) try {
  if (!document.is_object()) return Error("must be a launch template, a Node or a NodeClaim");
  const std::string kind = document.value("kind", "");
  if (kind == "LaunchTemplate") return read_template(document);
  DriftState state;
  const json items = document.contains("items") ? document["items"] : json::array({document});
  if (auto several = refuse_several(items)) return *std::move(several);
  for (const json& item : items) {
    const std::string item_kind = item.value("kind", "");
    state.deleting =
        state.deleting || item.value("metadata", json::object()).value("deletionTimestamp", json()).is_string();
    if (item_kind == "Node")
      read_node(item, state);
    else if (item_kind == "NodeClaim")
      read_claim(item, state);
    else if (item_kind == "AKSNodeClass")
      read_class(item, state);
    else if (is_machine(item))
      read_machine(item, state);
    else
      return Error(fmt::format("cannot compare a {}", item_kind.empty() ? "document without a kind" : item_kind))
          .with_hint(
              "give the output of `sunup resolve`, or a Node, a NodeClaim, their AKSNodeClass or AKS machine, or a "
              "List of them, as JSON");
  }
  return state;
} catch (const json::exception&) {
  return Error("a member has another type than in the output of Kubernetes or `sunup resolve`");
}

}  // namespace sunup::fleet
