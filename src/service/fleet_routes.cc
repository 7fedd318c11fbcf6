// Routes that resolve nodes and compare them.
#include <fmt/format.h>

#include <algorithm>

#include "contract/write.h"
#include "fleet/launch/azure_request.h"
#include "fleet/launch/bootstrap_script.h"
#include "fleet/launch/drift.h"
#include "fleet/launch/explain.h"
#include "fleet/launch/launch_template.h"
#include "fleet/launch/node_config.h"
#include "fleet/launch/resolve_request.h"
#include "fleet/sources/cluster_id.h"
#include "fleet/sources/document.h"
#include "fleet/sources/node_class.h"
#include "fleet/sources/node_class_hash.h"
#include "service/answers.h"
#include "service/context.h"
#include "service/routes.h"
#include "service/schemas.h"

namespace sunup::service {
namespace {

using fleet::Findings;
using nlohmann::json;

fleet::Document document(const json& body, const char* member) {
  return {body[member], {}, member};
}

// Without a member, the settings choose the bootstrap; so does an empty one.
constexpr std::pair<std::string_view, std::optional<fleet::Bootstrap>> kBootstraps[] = {
    {"", std::nullopt}, {"nodeconfig", fleet::Bootstrap::kNodeConfig}, {"scriptless", fleet::Bootstrap::kScriptless}};
constexpr std::string_view kFormats[] = {"json", "explain", "vm", "vmss", "script", "variables", "nodeconfig"};

constexpr char kResolveRequest[] = R"({
  "type": "object",
  "required": ["settings", "nodePool", "nodeClass"],
  "additionalProperties": false,
  "properties": {
    "settings": {"type": "object", "description": "cluster-wide settings"},
    "nodePool": {"type": "object", "description": "a NodePool or a Provisioner"},
    "nodeClass": {"type": "object", "description": "an AKSNodeClass or a NodeTemplate"},
    "nodeClaim": {"type": "object", "description": "default: the claim that the pool generates"},
    "instanceType": {"type": ["string", "object"], "description": "the name of a common size, or a description"},
    "instanceTypes": {"type": ["string", "array", "object"], "description": "descriptions of sizes"},
    "bootstrap": {"description": "how the VM becomes a node; empty: as the settings say"},
    "format": {"default": "json", "description": "what the answer is: the launch template, where its values come from, or a part of it"}
  }
})";

// The members of the request.
const std::vector<std::string>& resolve_members() {
  static const auto kNames = [] {
    const json schema = json::parse(kResolveRequest);
    std::vector<std::string> names;
    for (const auto& [name, member] : schema["properties"].items()) names.push_back(name);
    return names;
  }();
  return kNames;
}

ApiResponse resolve(const ApiRequest& request) {
  const auto read = read_object(request);
  if (!read) return refuse(400, read.error());
  const json& body = *read;
  for (const auto& [member, value] : body.items())
    if (std::ranges::find(resolve_members(), member) == resolve_members().end())
      return refuse(400, Error(fmt::format("unknown member {}", member)));
  const std::string bootstrap = body.value("bootstrap", "");
  const auto* const wanted = std::ranges::find(kBootstraps, bootstrap, &std::decay_t<decltype(*kBootstraps)>::first);
  if (wanted == std::end(kBootstraps)) return refuse(400, Error("bootstrap is nodeconfig or scriptless"));
  const std::string format = body.value("format", "json");
  if (std::ranges::find(kFormats, format) == std::end(kFormats))
    return refuse(400, Error(fmt::format("format is one of {}", fmt::join(kFormats, ", "))));
  if (format == "nodeconfig" && bootstrap == "scriptless")
    return refuse(400, Error("the format nodeconfig cannot be combined with the bootstrap scriptless"));

  fleet::SourceDocuments documents;
  std::string unknown_size;
  if (body.contains("settings")) documents.settings = {document(body, "settings")};
  for (const char* member : {"nodePool", "nodeClass"})
    if (body.contains(member)) documents.objects.push_back(document(body, member));
  if (body.contains("nodeClaim")) documents.claim = document(body, "nodeClaim");
  for (const char* member : {"instanceType", "instanceTypes"}) {
    if (!body.contains(member)) continue;
    if (!body[member].is_string())
      documents.instance_types.push_back(document(body, member));
    else if (auto known = fleet::known_instance_type(body[member].get<std::string>()))
      documents.sizes.push_back(*std::move(known));
    else
      unknown_size = body[member].get<std::string>();
  }
  auto sources = fleet::read_sources(documents);
  if (!sources) return refuse(422, sources.error());
  if (request.deadline.passed()) return refuse(503, Deadline::error());
  Findings findings = sources->findings;
  findings.insert(findings.end(), sources->claim_findings.begin(), sources->claim_findings.end());
  if (sources->refused()) return refuse_findings(findings);
  if (!unknown_size.empty()) return refuse(422, Error(unknown_size + " is not among the common sizes"));

  std::optional<fleet::BootstrapChoice> choice;
  if (format == "nodeconfig") choice = {fleet::Bootstrap::kNodeConfig, "format"};
  if (wanted->second) choice = {*wanted->second, "bootstrap"};
  fleet::Resolver resolver = fleet::make_resolver(sources->settings, {}, context().image_versions(), choice);
  resolver.set_deadline(request.deadline);
  auto node = fleet::resolve_request(*sources, resolver);
  if (!node) return refuse(422, node.error());
  node->warnings.insert(node->warnings.end(), findings.begin(), findings.end());

  if (format == "explain") return answer(fleet::explain_json(fleet::explain(*node)));
  const auto made = fleet::make_launch_template(*node, context().results);
  if (!made) return refuse(422, made.error());
  if (format == "vm") return answer(fleet::virtual_machine_request(*node, *made));
  if (format == "vmss") {
    const auto model = fleet::scale_set_request(*node, *made);
    return model ? answer(*model) : refuse(422, model.error());
  }
  if (format == "script") return answer({{"script", fleet::bootstrap_script(fleet::BootstrapVariables(*node))}});
  if (format == "nodeconfig") return {.body = contract::to_json(fleet::node_config(*node))};
  if (format == "variables") {
    nlohmann::ordered_json variables = nlohmann::ordered_json::object();
    for (const auto& line : fleet::assignments(fleet::BootstrapVariables(*node))) variables[line.name] = line.value;
    return answer(variables);
  }
  return {.body = fleet::launch_template_json(*node, *made) + "\n"};
}

ApiResponse drift(const ApiRequest& request) {
  const auto read = read_object(request);
  if (!read) return refuse(400, read.error());
  const json& body = *read;
  if (!body.contains("was") || !body.contains("is")) return refuse(400, Error("was and is must be given"));
  auto report = fleet::compare_drift(body["was"], body["is"]);
  if (!report) return refuse(422, report.error());
  return answer(fleet::drift_json(*report));
}

ApiResponse hash(const ApiRequest& request) {
  const auto read = read_object(request);
  if (!read) return refuse(400, read.error());
  const json& body = *read;
  if (!fleet::is_node_class(body)) return refuse(400, Error("the body must be an AKSNodeClass, with kind and spec"));
  // The hash of an object that no API server accepts is of no use. An object without a name is checked as if it had
  // one.
  fleet::Document judged{body, {}, ""};
  if (!judged.value.contains("apiVersion")) judged.value["apiVersion"] = "karpenter.azure.com/v1beta1";
  if (!judged.value.contains("kind")) judged.value["kind"] = "AKSNodeClass";
  if (!judged.value.contains("metadata")) judged.value["metadata"] = json::object();
  if (json& metadata = judged.value["metadata"]; metadata.is_object() && !metadata.contains("name"))
    metadata["name"] = "default";
  Findings findings;
  fleet::read_node_class(judged, findings);
  if (fleet::has_errors(findings)) return refuse_findings(findings);
  json object = body;
  fleet::apply_node_class_defaults(object);
  auto result = fleet::node_class_hash(object.value("spec", json::object()));
  if (!result) return refuse(422, result.error());
  return answer({{"hash", *result}, {"version", fleet::kNodeClassHashVersion}});
}

ApiResponse cluster_id(const ApiRequest& request) {
  auto id = fleet::cluster_id_of(request.query_value("host"));
  if (!id) return refuse(400, id.error());
  return answer({{"clusterID", *id}});
}

std::string resolve_request_schema() {
  auto schema = nlohmann::ordered_json::parse(kResolveRequest);
  nlohmann::ordered_json& members = schema["properties"];
  members["bootstrap"].update(nlohmann::ordered_json::parse(one_of_schema(names_in(kBootstraps))));
  members["format"].update(nlohmann::ordered_json::parse(one_of_schema({std::begin(kFormats), std::end(kFormats)})));
  return schema.dump();
}

constexpr char kDriftRequest[] = R"({"type":"object","required":["was","is"],"properties":{
  "was":{"type":"object","description":"a launch template, or the state of the live node"},
  "is":{"type":"object","description":"a launch template"}}})";
constexpr char kDriftReply[] = R"({
  "type": "object",
  "required": ["drifted", "newNodeNeeded", "reason", "fields", "patch", "notJudged"],
  "properties": {
    "drifted": {"type": "boolean", "description": "whether a field differs that a controller acts on"},
    "newNodeNeeded": {"type": "boolean", "description": "whether the node has to be replaced"},
    "reason": {"type": "string", "description": "the reason that a controller reports; empty: no drift"},
    "fields": {"type": "array", "description": "all different fields, drift or not", "items": {"type": "object", "properties": {
      "field": {"type": "string", "description": "the name of the field"},
      "was": {"type": "string", "description": "its value before; a credential is not shown"},
      "is": {"type": "string", "description": "its value now"},
      "reason": {"type": "string", "description": "the reason of this field; NextNode: no drift"},
      "action": {"type": "string", "enum": ["replace", "in-place", "none"], "description": "what has to be done to the node"}}}},
    "patch": {"type": ["object", "null"], "description": "the body of the PATCH request that updates the VM in place; null: none can or need"},
    "notJudged": {"type": "array", "items": {"type": "string"}, "description": "what a controller does not compare now, and why"}
  }
})";
constexpr char kHashReply[] = R"({"type":"object","required":["hash","version"],"properties":{
  "hash":{"type":"string","description":"the value of the annotation aksnodeclass-hash"},
  "version":{"type":"string","description":"the value of the annotation aksnodeclass-hash-version"}}})";
constexpr char kClusterIdReply[] = R"({"type":"object","required":["clusterID"],"properties":{
  "clusterID":{"type":"string","description":"eight digits"}}})";
constexpr char kResolveReply[] = R"({"anyOf": [
  {"$ref": "#/components/schemas/LaunchTemplate"},
  {"type": "array", "description": "format explain: every value of the node, and which source set it", "items": {"type": "object",
    "required": ["group", "name", "value", "source", "where", "overrode"], "properties": {
    "group": {"type": "string", "description": "the kind of value: flag, label, taint, variable ..."},
    "name": {"type": "string", "description": "the name of the value"},
    "value": {"type": "string", "description": "the value; a credential is not shown"},
    "source": {"type": "string", "description": "which document set it"},
    "where": {"type": "string", "description": "the member of that document"},
    "overrode": {"type": "array", "description": "the values that it replaced", "items": {"type": "object", "properties": {
      "source": {"type": "string", "description": "which document had set it"},
      "where": {"type": "string", "description": "the member of that document"},
      "value": {"type": "string", "description": "the value that does not apply"}}}}}}},
  {"type": "object", "required": ["script"], "properties": {"script": {"type": "string", "description": "format script: the bootstrap script"}}},
  {"type": "object", "description": "format vm or vmss: Azure's request; format variables: the variables of the bootstrap script; format nodeconfig: an AKSNodeConfig"}
]})";

}  // namespace

std::vector<Route> fleet_routes() {
  const Reply violated{422, "The request was read but violates rules.", {kError}};
  return {
      {.method = "POST",
       .path = "/v1/resolve",
       .summary = "Resolves configuration sources to the launch template of a node",
       .caller = Caller::kClient,
       .request = {resolve_request_schema()},
       .replies = {{200, "The launch template, its explanation, or the Azure requests.", {kResolveReply}}, violated},
       .handler = resolve},
      {.method = "POST",
       .path = "/v1/drift",
       .summary = "Which fields of a node have drifted, and whether a new node is needed",
       .caller = Caller::kClient,
       .request = {kDriftRequest},
       .replies = {{200, "The comparison.", {kDriftReply}}, violated},
       .handler = drift},
      {.method = "POST",
       .path = "/v1/nodeclass/hash",
       .summary = "The drift hash of an AKSNodeClass",
       .caller = Caller::kClient,
       .request = {kAnyObject},
       .replies = {{200, "The hash.", {kHashReply}}, violated},
       .handler = hash},
      {.method = "GET",
       .path = "/v1/cluster-id",
       .summary = "The cluster ID for the name of an API server",
       .caller = Caller::kClient,
       .request = {},
       .replies = {{200, "The ID.", {kClusterIdReply}}},
       .handler = cluster_id,
       .query = {{"host", "the name or URL of the API server", true}}},
  };
}

}  // namespace sunup::service
