// Routes that render an AKSNodeConfig, with the same output as `sunup render`.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <optional>

#include "base/base64.h"
#include "contract/check.h"
#include "render/config_or_command.h"
#include "render/cse_env.h"
#include "render/custom_data.h"
#include "render/node/files.h"
#include "render/vmss.h"
#include "service/answers.h"
#include "service/context.h"
#include "service/routes.h"
#include "service/schemas.h"

namespace sunup::service {
namespace {

namespace node = render::node;
using nlohmann::ordered_json;

struct Read {
  std::optional<contract::Loaded> loaded = {};
  ApiResponse refusal = {};  // if nothing is loaded
};

Read load(const ApiRequest& request) {
  contract::Details details;
  const bool strict = request.query_value("strict") == "true";
  auto loaded = render::load_only_config(request.body, "request", strict ? &details : nullptr);
  if (!loaded) return {.refusal = refuse(422, loaded.error())};
  if (strict) {
    const auto findings = contract::check(loaded->config, details.places, {.now = std::time(nullptr)});
    if (std::ranges::any_of(findings, [](const auto& one) { return one.severity == contract::Severity::kError; }))
      return {.refusal = refuse_findings(findings)};
  }
  return {.loaded = *std::move(loaded)};
}

ApiResponse render_env(const ApiRequest& request) {
  const auto [loaded, refusal] = load(request);
  if (!loaded) return refusal;
  return {.body = render::environment_json(
              render::cse_environment(loaded->config, {request.query_value("containerd-version"), {}}))};
}

// The requested options, or an error if they are not supported.
Result<render::CustomDataOptions> custom_data_options(const ApiRequest& request) {
  render::CustomDataOptions options;
  options.results = context().results;
  const std::string os = request.query_value("os");
  auto of_the_os = render::form_for_os(os.empty() ? "ubuntu2204" : os);
  if (!of_the_os) return std::move(of_the_os).error();
  options.form = render::form_named(request.query_value("form"), *of_the_os);
  options.compression = render::compression_named(request.query_value("gzip"));
  if (request.query_value("verbatim") == "true") options.verbatim = std::string(request.body);
  return options;
}

using CustomDataMaker = Result<std::string> (*)(const contract::Configuration&, const render::CustomDataOptions&);

ApiResponse render_with(CustomDataMaker make, const ApiRequest& request, std::string (*body)(std::string)) {
  auto options = custom_data_options(request);
  if (!options) return refuse(400, options.error());
  const std::string placeholder = request.query_value("placeholder");
  options->placeholder = placeholder;
  auto [loaded, refusal] = load(request);
  if (!loaded) return refusal;
  options->unknown = std::move(loaded->unknown);
  auto made = make(loaded->config, *options);
  if (!made) return refuse(422, made.error());
  return {.body = body(*std::move(made))};
}

ApiResponse render_custom_data(const ApiRequest& request) {
  return render_with(render::custom_data, request,
                     [](std::string data) { return "{\"customData\":\"" + base64_encode(data) + "\"}\n"; });
}

ApiResponse render_vmss(const ApiRequest& request) {
  return render_with(render::vmss_model, request, [](std::string model) { return model; });
}

ApiResponse render_cse(const ApiRequest&) {
  return answer({{"command", render::kCseCommand}});
}

ApiResponse render_files(const ApiRequest& request) {
  const std::string os = request.query_value("os");
  const auto distro = render::distro_by_name(os.empty() ? "ubuntu2204" : os);
  const auto [loaded, refusal] = load(request);
  if (!loaded) return refusal;
  node::NodeFacts facts = node::golden_image(*distro);
  if (const std::string version = request.query_value("containerd-version"); !version.empty())
    facts.containerd_version = version;
  const auto made = node::node_files(loaded->config, facts);
  if (!made) return refuse(422, made.error());
  ordered_json files = ordered_json::array(), links = ordered_json::array();
  for (const node::NodeFile& file : *made)
    files.push_back(
        {{"path", file.path}, {"mode", fmt::format("{:04o}", file.mode)}, {"content", base64_encode(file.content)}});
  for (const node::NodeLink& link : node::node_links(loaded->config, facts))
    links.push_back({{"path", link.path}, {"target", link.target}});
  return answer({{"files", std::move(files)},
                 {"links", std::move(links)},
                 {"removed", node::node_removals(loaded->config, facts)}});
}

constexpr char kStrings[] = R"({"type":"object","additionalProperties":{"type":"string"}})";
constexpr char kCustomData[] = R"({"type":"object","required":["customData"],"properties":{
  "customData":{"type":"string","contentEncoding":"base64","description":"for osProfile.customData of the VM"}}})";
constexpr char kModel[] = R"({"type":"object","required":["osProfile","extensionProfile"],"properties":{
  "osProfile":{"type":"object","description":"the custom data","properties":{
    "customData":{"type":"string","contentEncoding":"base64","description":"passes the config to the node"}}},
  "extensionProfile":{"type":"object","description":"the extension that waits for the result","properties":{
    "extensions":{"type":"array","items":{"type":"object"},"description":"one extension, as the compute API has it"}}}}})";
constexpr char kCommand[] = R"({"type":"object","required":["command"],"properties":{
  "command":{"type":"string","description":"for commandToExecute of the extension"}}})";
constexpr char kFiles[] = R"({
  "type": "object",
  "required": ["files", "links", "removed"],
  "properties": {
    "files": {"type": "array", "description": "the files", "items": {"type": "object", "required": ["path", "mode", "content"], "properties": {
      "path": {"type": "string", "description": "the path on the node"},
      "mode": {"type": "string", "description": "the permissions, in octal digits"},
      "content": {"type": "string", "contentEncoding": "base64", "description": "the bytes"}}}},
    "links": {"type": "array", "description": "the symbolic links", "items": {"type": "object", "required": ["path", "target"], "properties": {
      "path": {"type": "string", "description": "the path on the node"},
      "target": {"type": "string", "description": "the path that it leads to"}}}},
    "removed": {"type": "array", "items": {"type": "string"}, "description": "files of the image that are removed"}
  }
})";
constexpr char kBoolean[] = R"({"type":"boolean"})";

}  // namespace

std::vector<Route> render_routes() {
  const Reply refused{422, "The config is refused.", {kError}};
  const QueryParameter os{"os", "the operating system of the image; default: ubuntu2204", false, image_os_schema()};
  const QueryParameter distribution{"os", "the distribution of the node; default: ubuntu2204", false,
                                    distribution_schema()};
  const QueryParameter strict{"strict", "refuse a config in which the check finds errors", false, kBoolean};
  const QueryParameter containerd{"containerd-version", "the containerd version of the image; default: 1.x"};
  const std::vector<QueryParameter> custom_data = {
      os,
      {"form", "default: the form that the operating system reads", false, one_of_schema(names_in(render::kFormNames))},
      {"gzip", "default: only if it would be too big otherwise", false,
       one_of_schema(names_in(render::kCompressionNames))},
      {"placeholder",
       "a text of the config, such as a template of the bootstrap token, that a client replaces before the node sees "
       "it: it is not encoded or compressed"},
      {"verbatim", "embed the bytes of the request instead of the canonical form of the config", false, kBoolean},
      strict};
  return {
      {.method = "POST",
       .path = "/v1/render/env",
       .summary = "The environment for the provisioning scripts of a node image",
       .caller = Caller::kClient,
       .request = {kNodeConfig},
       .replies = {{200, "The variables.", {kStrings}}, refused},
       .handler = render_env,
       .query = {containerd, strict}},
      {.method = "POST",
       .path = "/v1/render/custom-data",
       .summary = "The custom data of a VM, which passes the config to the node",
       .caller = Caller::kClient,
       .request = {kNodeConfig},
       .replies = {{200, "The custom data.", {kCustomData}}, refused},
       .handler = render_custom_data,
       .query = custom_data},
      {.method = "POST",
       .path = "/v1/render/vmss",
       .summary = "The part of the model of a VM or scale set that makes it a node",
       .caller = Caller::kClient,
       .request = {kNodeConfig},
       .replies = {{200, "The model.", {kModel}}, refused},
       .handler = render_vmss,
       .query = custom_data},
      {.method = "GET",
       .path = "/v1/render/cse",
       .summary = "The command of the custom script extension, which waits for the result of the node",
       .caller = Caller::kClient,
       .request = {},
       .replies = {{200, "The command.", {kCommand}}},
       .handler = render_cse},
      {.method = "POST",
       .path = "/v1/render/files",
       .summary = "The files that native provisioning creates from a config, with their secrets",
       .caller = Caller::kClient,
       .request = {kNodeConfig},
       .replies = {{200, "The files.", {kFiles}}, refused},
       .handler = render_files,
       .query = {distribution, containerd, strict}},
  };
}

}  // namespace sunup::service
