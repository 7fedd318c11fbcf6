#include "controller/node_watch.h"

#include <yaml-cpp/yaml.h>

#include <nlohmann/json.hpp>

#include "base/json_member.h"

namespace sunup::controller {
namespace {

using nlohmann::json;

constexpr size_t kLargestLine = 8 << 20;  // etcd accepts objects of 1.5 MiB

// The entry with this name in a list of a kubeconfig.
YAML::Node named(const YAML::Node& list, const std::string& name) {
  if (list.IsSequence())
    for (const YAML::Node& entry : list)
      if (entry.IsMap() && entry["name"].IsDefined() && entry["name"].as<std::string>("") == name) return entry;
  return YAML::Node(YAML::NodeType::Undefined);
}

std::string yaml_text(const YAML::Node& map, const char* key) {
  if (!map.IsDefined() || !map.IsMap() || !map[key].IsDefined()) return "";
  return map[key].as<std::string>("");
}

YAML::Node child(const YAML::Node& map, const char* key) {
  if (!map.IsDefined() || !map.IsMap() || !map[key].IsDefined()) return YAML::Node(YAML::NodeType::Undefined);
  return map[key];
}

Result<NodeAccess> access_in(const YAML::Node& document) {
  if (!document.IsMap()) return Error("the kubeconfig is not a map");
  const YAML::Node context = child(named(document["contexts"], yaml_text(document, "current-context")), "context");
  const YAML::Node cluster = child(named(document["clusters"], yaml_text(context, "cluster")), "cluster");
  const YAML::Node user = child(named(document["users"], yaml_text(context, "user")), "user");
  NodeAccess access{.server = yaml_text(cluster, "server"),
                    .ca_file = yaml_text(cluster, "certificate-authority"),
                    .certificate = yaml_text(user, "client-certificate"),
                    .key = yaml_text(user, "client-key")};
  if (access.server.empty()) return Error("the kubeconfig names no server for its current context");
  if (access.ca_file.empty() || access.certificate.empty() || access.key.empty())
    return Error("the kubeconfig does not name the files of the CA, the client certificate and its key");
  while (access.server.ends_with('/')) access.server.pop_back();
  return access;
}

}  // namespace

Result<NodeAccess> parse_kubeconfig(std::string_view yaml) {
  try {
    return access_in(YAML::Load(std::string(yaml)));
  } catch (const std::exception& error) {
    return Error(std::string("the kubeconfig cannot be read: ") + error.what());
  }
}

std::string node_name_in(std::string_view subject) {
  constexpr std::string_view kPrefix = "CN=system:node:";
  const size_t at = subject.find(kPrefix);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = subject.substr(at + kPrefix.size());
  return std::string(rest.substr(0, rest.find_first_of(",+/ ")));
}

Result<void> NodeWatch::add(std::string_view piece) {
  while (!piece.empty() && !reached_) {
    const size_t end = piece.find('\n');
    line_ += piece.substr(0, end);
    if (line_.size() > kLargestLine) return Error("the API server's answer has a line that is too long");
    if (end == std::string_view::npos) return {};
    piece.remove_prefix(end + 1);
    const std::string line = std::exchange(line_, {});
    if (auto known = read(line); !known) return known;
  }
  return {};
}

Result<void> NodeWatch::read(std::string_view line) {
  if (line.find_first_not_of(" \r\t") == std::string_view::npos) return {};
  const json event = json::parse(line, nullptr, false);
  const std::string type = text_of(event, "type");
  const json& object = member_of(event, "object");
  if (type == "ERROR") return Error("the API server ends the watch: " + text_of(object, "message"));
  if (type.empty()) return Error("the API server's answer is not a watch");
  if (type != "ADDED" && type != "MODIFIED") return {};
  const json& status = member_of(object, "status");
  if (what_ == For::kPod) {
    const std::string phase = text_of(status, "phase");
    state_ = "the pod " + text_of(member_of(object, "metadata"), "name") + " is " + (phase.empty() ? "new" : phase);
    reached_ = phase == "Running";
    return {};
  }
  if (!boot_id_.empty() && text_of(member_of(status, "nodeInfo"), "bootID") != boot_id_) {
    state_ = "kubelet has not reported the node's state since this boot";
    return {};
  }
  state_ = "the node has no Ready condition";
  const json& conditions = member_of(status, "conditions");
  if (!conditions.is_array()) return {};
  for (const json& condition : conditions) {
    if (text_of(condition, "type") != "Ready") continue;
    reached_ = text_of(condition, "status") == "True";
    const std::string message = text_of(condition, "message");
    state_ = reached_ ? "the node is Ready" : "the node is not Ready" + (message.empty() ? "" : ": " + message);
  }
  return {};
}

}  // namespace sunup::controller
