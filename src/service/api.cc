#include "service/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/url.h"
#include "contract/load.h"
#include "fleet/catalog.h"
#include "fleet/cluster_id.h"
#include "fleet/document.h"
#include "fleet/drift.h"
#include "fleet/explain.h"
#include "fleet/launch_template.h"
#include "fleet/node_class.h"
#include "fleet/node_class_hash.h"
#include "render/cse_env.h"
#include "render/custom_data.h"

namespace sunup::service {
namespace {

using fleet::Findings;
using nlohmann::json;
using nlohmann::ordered_json;

ApiResponse answer(const ordered_json& body) {
  return {200, "application/json", body.dump() + "\n"};
}

ApiResponse refuse(int status, const Error& error) {
  ordered_json body = {{"error", error.what}};
  if (!error.hint.empty()) body["hint"] = error.hint;
  return {status, "application/json", body.dump() + "\n"};
}

ordered_json listed(const Findings& findings, fleet::Severity severity) {
  ordered_json list = ordered_json::array();
  for (const fleet::Finding& finding : findings) {
    if (finding.severity != severity) continue;
    ordered_json one = {{"path", finding.path}, {"rule", finding.rule}, {"message", finding.message}};
    if (!finding.hint.empty()) one["hint"] = finding.hint;
    list.push_back(std::move(one));
  }
  return list;
}

// Everything that breaks a rule, at once, so that one round trip is enough.
ApiResponse refuse_findings(const Findings& findings) {
  ordered_json body = {{"error", "the request violates rules"}, {"errors", listed(findings, fleet::Severity::kError)}};
  return {422, "application/json", body.dump() + "\n"};
}

fleet::Document document(const json& body, const char* member) {
  return {body[member], {}, member};
}

bool one_of(const std::string& value, std::initializer_list<std::string_view> choices) {
  return std::find(choices.begin(), choices.end(), value) != choices.end();
}

ApiResponse resolve(const json& body) {
  for (const auto& [member, value] : body.items())
    if (!one_of(member, {"settings", "nodePool", "nodeClass", "nodeClaim", "instanceType", "instanceTypes", "bootstrap",
                         "format"}))
      return refuse(400, Error(fmt::format("unknown member {}", member)));
  const std::string bootstrap = body.value("bootstrap", "");
  if (!one_of(bootstrap, {"", "nodeconfig", "scriptless"}))
    return refuse(400, Error("bootstrap is nodeconfig or scriptless"));
  const std::string format = body.value("format", "json");
  if (!one_of(format, {"json", "explain", "vm", "vmss"}))
    return refuse(400, Error("format is json, explain, vm or vmss"));

  Findings findings;
  fleet::Settings settings;
  if (body.contains("settings")) settings = fleet::read_settings({document(body, "settings")}, {}, findings);
  fleet::check_settings(settings, findings);
  fleet::Catalog catalog;
  for (const char* member : {"nodePool", "nodeClass"})
    if (body.contains(member)) catalog.add({document(body, member)}, findings);
  std::optional<fleet::NodeClaim> claim;
  if (body.contains("nodeClaim")) claim = fleet::read_node_claim(document(body, "nodeClaim"), findings);
  for (const char* member : {"instanceType", "instanceTypes"})
    if (body.contains(member) && !body[member].is_string())
      fleet::check_instance_types(document(body, member), findings);
  if (fleet::has_errors(findings)) return refuse_findings(findings);

  for (const char* member : {"instanceType", "instanceTypes"}) {
    if (!body.contains(member)) continue;
    if (body[member].is_string()) {
      auto known = fleet::known_instance_type(body[member].get<std::string>());
      if (!known) return refuse(422, Error(body[member].get<std::string>() + " is not among the common sizes"));
      catalog.add_instance_types({*std::move(known)});
    } else {
      auto types = fleet::read_instance_types(document(body, member));
      if (!types) return refuse(422, types.error());
      catalog.add_instance_types(*std::move(types));
    }
  }
  fleet::Resolver resolver(std::move(settings), {}, fleet::ImageProvider(fleet::recorded_image_versions()));
  if (bootstrap == "nodeconfig") resolver.set_bootstrap(fleet::Bootstrap::kNodeConfig, "bootstrap");
  if (bootstrap == "scriptless") resolver.set_bootstrap(fleet::Bootstrap::kScriptless, "bootstrap");

  if (!claim) {
    auto made = catalog.default_claim();
    if (!made) return refuse(422, made.error());
    claim = *std::move(made);
  }
  auto node = catalog.resolve(resolver, *claim);
  if (!node) return refuse(422, node.error());
  for (fleet::Finding& finding : findings) node->warnings.push_back(std::move(finding));

  if (format == "explain") return answer(fleet::explain_json(fleet::explain(*node)));
  const auto made = fleet::make_launch_template(*node);
  if (!made) return refuse(422, made.error());
  if (format == "vm") return answer(fleet::virtual_machine_request(*node, *made, resolver.settings()));
  if (format == "vmss") {
    const auto request = fleet::scale_set_request(*node, *made, resolver.settings());
    return request ? answer(*request) : refuse(422, request.error());
  }
  return {200, "application/json", fleet::launch_template_json(*node, *made) + "\n"};
}

ApiResponse drift(const json& body) {
  if (!body.contains("was") || !body.contains("is")) return refuse(400, Error("was and is must be given"));
  auto report = fleet::compare_drift(body["was"], body["is"]);
  if (!report) return refuse(422, report.error());
  return answer(fleet::drift_json(*report));
}

ApiResponse hash(const json& body) {
  if (!fleet::is_node_class(body)) return refuse(400, Error("the body must be an AKSNodeClass, with kind and spec"));
  // The hash of an object that no API server accepts is of no use. One without a name is judged as if it had one.
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

ApiResponse render_env(std::string_view body) {
  auto loaded = contract::load_text(body, "request");
  if (!loaded) return refuse(422, loaded.error());
  ordered_json variables = ordered_json::object();
  for (const auto& [name, value] : render::cse_environment(loaded->config, {})) variables[name] = value;
  return answer(variables);
}

ApiResponse render_custom_data(std::string_view body, std::string_view os) {
  auto loaded = contract::load_text(body, "request");
  if (!loaded) return refuse(422, loaded.error());
  auto form = render::form_for_os(os.empty() ? "ubuntu2204" : os);
  if (!form) return refuse(400, form.error());
  auto data = render::custom_data(loaded->config, {.form = *form, .unknown = std::move(loaded->unknown)});
  if (!data) return refuse(422, data.error());
  return answer({{"customData", base64_encode(*data)}});
}

// The value of a query's member.
std::string query(std::string_view target, std::string_view name) {
  size_t at = target.find('?');
  while (at != target.npos) {
    std::string_view rest = target.substr(at + 1);
    const std::string_view pair = rest.substr(0, std::min(rest.find('&'), rest.size()));
    if (pair.starts_with(name) && pair.size() > name.size() && pair[name.size()] == '=')
      return query_decoded(pair.substr(name.size() + 1));
    at = target.find('&', at + 1);
  }
  return "";
}

ApiResponse route(const ApiRequest& request) {
  const std::string_view path = request.target.substr(0, std::min(request.target.find('?'), request.target.size()));
  const bool get = request.method == "GET";
  const bool post = request.method == "POST";
  if (path == "/healthz") return get ? ApiResponse{200, "text/plain", "ok\n"} : refuse(405, Error("use GET"));
  if (path == "/v1/cluster-id") {
    if (!get) return refuse(405, Error("use GET"));
    auto id = fleet::cluster_id_of(query(request.target, "host"));
    if (!id) return refuse(400, id.error());
    return answer({{"clusterID", *id}});
  }
  if (path == "/v1/render/env" || path == "/v1/render/custom-data") {
    if (!post) return refuse(405, Error("use POST"));
    return path == "/v1/render/env" ? render_env(request.body)
                                    : render_custom_data(request.body, query(request.target, "os"));
  }
  ApiResponse (*const serve)(const json&) = path == "/v1/resolve"          ? resolve
                                            : path == "/v1/drift"          ? drift
                                            : path == "/v1/nodeclass/hash" ? hash
                                                                           : nullptr;
  if (serve == nullptr) return refuse(404, Error(fmt::format("no such route: {}", path)));
  if (!post) return refuse(405, Error("use POST"));
  // As the command line reads a document: a member that is given twice is an error, and null means that it is not set.
  const auto body = fleet::read_json_document(request.body);
  if (!body) return refuse(400, body.error());
  if (!body->value.is_object()) return refuse(400, Error("the body must be a JSON object"));
  return serve(body->value);
}

}  // namespace

ApiResponse handle(const ApiRequest& request) {
  try {
    return route(request);
  } catch (const std::exception& error) {
    // A wrong type deep inside a document that no rule covers.
    return refuse(400, Error(fmt::format("the request cannot be read: {}", error.what())));
  }
}

}  // namespace sunup::service
