#include "service/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/url.h"
#include "contract/load.h"
#include "fleet/launch/azure_request.h"
#include "fleet/launch/drift.h"
#include "fleet/launch/explain.h"
#include "fleet/launch/launch_template.h"
#include "fleet/launch/resolve_request.h"
#include "fleet/sources/bounds.h"
#include "fleet/sources/cluster_id.h"
#include "fleet/sources/node_class_hash.h"
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

// Every violation at once, so that one round trip is enough.
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
  Findings findings = sources->findings;
  findings.insert(findings.end(), sources->claim_findings.begin(), sources->claim_findings.end());
  if (sources->refused()) return refuse_findings(findings);
  if (!unknown_size.empty()) return refuse(422, Error(unknown_size + " is not among the common sizes"));

  std::optional<fleet::BootstrapChoice> choice;
  if (bootstrap == "nodeconfig") choice = {fleet::Bootstrap::kNodeConfig, "bootstrap"};
  if (bootstrap == "scriptless") choice = {fleet::Bootstrap::kScriptless, "bootstrap"};
  const fleet::Resolver resolver =
      fleet::make_resolver(sources->settings, {}, fleet::recorded_image_versions(), choice);
  auto node = fleet::resolve_request(*sources, resolver);
  if (!node) return refuse(422, node.error());
  node->warnings.insert(node->warnings.end(), findings.begin(), findings.end());

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

// The value of a parameter of the query.
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
  const auto body = fleet::parse_json(request.body);
  if (!body || !body->is_object()) return refuse(400, body ? Error("the body must be a JSON object") : body.error());
  return serve(*body);
}

}  // namespace

ApiResponse handle(const ApiRequest& request) {
  try {
    return route(request);
  } catch (const std::exception& error) {
    // A wrong type inside a document that no rule covers.
    return refuse(400, Error(fmt::format("the request cannot be read: {}", error.what())));
  }
}

}  // namespace sunup::service
