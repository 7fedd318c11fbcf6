// Routes that are compatible with other services, for their clients: the NodeBootstrapping API that Karpenter uses in
// provision mode bootstrappingclient, and the routes of AgentBaker's server. Their errors are plain text, as those
// clients expect.
#include <fmt/format.h>

#include "base/base64.h"
#include "base/text.h"
#include "contract/load.h"
#include "fleet/launch/node_bootstrapping.h"
#include "fleet/launch/provision_schema.h"
#include "fleet/launch/sig_images.h"
#include "render/custom_data.h"
#include "render/vmss.h"
#include "service/answers.h"
#include "service/context.h"
#include "service/routes.h"
#include "service/schemas.h"

namespace sunup::service {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

ServiceContext& the_context() {
  static ServiceContext kept;
  return kept;
}

// The cluster in the path must be that of the settings: a node with the settings of another cluster would join that
// one.
std::string why_another_cluster(const ApiRequest& request, const fleet::Settings& settings) {
  const auto differs = [&](fleet::Option option, std::string_view parameter) {
    return settings.given(option) && !equal_ignoring_case(settings.text(option), request.parameter(parameter));
  };
  if (differs(fleet::Option::kSubscriptionId, "subscriptionId")) return "the subscription";
  if (differs(fleet::Option::kResourceGroup, "resourceGroupName")) return "the resource group";
  if (differs(fleet::Option::kClusterName, "resourceName")) return "the name of the cluster";
  return "";
}

ApiResponse node_bootstrapping(const ApiRequest& request) {
  if (!context().settings)
    return refuse_text(503, Error("this server does not know a cluster").with_hint("start it with --settings FILE"));
  if (const std::string what = why_another_cluster(request, *context().settings); !what.empty())
    return refuse_text(404, Error(fmt::format("{} is not that of the settings of this server", what)));
  const auto values = read_object(request);
  if (!values) return refuse_text(400, values.error());
  const auto made =
      fleet::node_bootstrapping(*values, *context().settings, context().image_versions(), context().results);
  if (!made) return refuse_text(400, made.error());
  return {.body = fleet::node_bootstrapping_json(*made) + "\n"};
}

// AgentBaker's own request describes a whole cluster. This route accepts a config and returns its custom data.
ApiResponse node_bootstrap_data(const ApiRequest& request) {
  const auto object = read_object(request);
  if (!object) return refuse_text(400, object.error());
  for (const auto& [name, value] : object->items())
    if (equal_ignoring_case(name, "ContainerService") || equal_ignoring_case(name, "AgentPoolProfile"))
      return refuse_text(400, Error("the body is a NodeBootstrappingConfiguration; only an AKSNodeConfig is accepted"));
  auto loaded = contract::load_text(request.body, "the body");
  if (!loaded) return refuse_text(400, loaded.error());
  const std::string os = request.query_value("os");
  auto form = render::form_for_os(os.empty() ? "ubuntu2204" : os);
  if (!form) return refuse_text(400, form.error());
  auto data = render::custom_data(loaded->config,
                                  {.form = *form, .unknown = std::move(loaded->unknown), .results = context().results});
  if (!data) return refuse_text(400, data.error());
  return answer({{"CustomData", base64_encode(*data)},
                 {"CSE", render::kCseCommand},
                 {"OSImageConfig", nullptr},
                 {"SigImageConfig", nullptr}});
}

using Images = Result<ordered_json> (*)(const json&, const fleet::ImageVersions&);

ApiResponse images(const ApiRequest& request, Images tell) {
  const auto body = read_object(request);
  if (!body) return refuse_text(400, body.error());
  const auto found = tell(*body, context().image_versions());
  return found ? answer(*found) : refuse_text(400, found.error());
}

ApiResponse latest_image(const ApiRequest& request) {
  return images(request, fleet::latest_sig_image);
}

ApiResponse all_images(const ApiRequest& request) {
  return images(request, fleet::distro_sig_images);
}

constexpr char kNodeBootstrapping[] = R"({
  "type": "object",
  "required": ["customData", "cse", "osImageConfig", "sigImageConfig"],
  "properties": {
    "customData": {"type": "string", "contentEncoding": "base64", "description": "passes the config to the node, with a placeholder for the bootstrap token"},
    "cse": {"type": "string", "description": "the command of the script extension"},
    "osImageConfig": {"type": "object", "description": "always empty: the image is one of a gallery"},
    "sigImageConfig": {"type": "object", "description": "the image of the distro", "properties": {
      "sigImageConfigTemplate": {"type": "object", "description": "its place in the gallery", "properties": {
        "resourceGroup": {"type": "string", "description": "the resource group of the gallery"},
        "gallery": {"type": "string", "description": "the name of the gallery"},
        "definition": {"type": "string", "description": "the name of the image"},
        "version": {"type": "string", "description": "the version of the image"}}},
      "subscriptionID": {"type": "string", "description": "that of the gallery; may be empty"}}}
  }
})";
constexpr char kBootstrapData[] = R"({
  "type": "object",
  "required": ["CustomData", "CSE", "OSImageConfig", "SigImageConfig"],
  "properties": {
    "CustomData": {"type": "string", "contentEncoding": "base64", "description": "passes the config to the node"},
    "CSE": {"type": "string", "description": "the command of the script extension"},
    "OSImageConfig": {"type": "null", "description": "a config does not determine the image"},
    "SigImageConfig": {"type": "null", "description": "a config does not determine the image"}
  }
})";
constexpr char kSigRequest[] = R"({
  "type": "object",
  "required": ["SIGConfig"],
  "properties": {
    "SIGConfig": {"type": "object", "description": "the requester's galleries; letter case of the names does not matter", "properties": {
      "TenantID": {"type": "string", "description": "the tenant of the galleries; required"},
      "SubscriptionID": {"type": "string", "description": "the subscription of the galleries; required"},
      "Galleries": {"type": "object", "description": "AKSUbuntu, AKSCBLMariner, AKSAzureLinux, AKSWindows and, optionally, AKSFlatcar",
        "additionalProperties": {"type": "object", "properties": {
          "GalleryName": {"type": "string", "description": "the name of the gallery"},
          "ResourceGroup": {"type": "string", "description": "its resource group"}}}}}},
    "Region": {"type": "string", "description": "for messages"},
    "Distro": {"type": "string", "description": "the distro; not used by /getdistrosigimageconfig"}
  }
})";
constexpr char kSigImage[] = R"({
  "type": "object",
  "required": ["ResourceGroup", "Gallery", "Definition", "Version", "SubscriptionID"],
  "properties": {
    "ResourceGroup": {"type": "string", "description": "the resource group of the gallery"},
    "Gallery": {"type": "string", "description": "the name of the gallery"},
    "Definition": {"type": "string", "description": "the name of the image"},
    "Version": {"type": "string", "description": "the version of the image"},
    "SubscriptionID": {"type": "string", "description": "the subscription of the gallery"}
  }
})";
constexpr char kAnyText[] = R"({"type":"string"})";

}  // namespace

void set_context(ServiceContext context) {
  the_context() = std::move(context);
}

const ServiceContext& context() {
  return the_context();
}

std::vector<Route> client_routes() {
  const Reply refused{400, "The request is refused; the text names the member.", {kAnyText, kText}};
  return {
      {.method = "GET",
       .path = "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}/providers/"
               "Microsoft.ContainerService/managedclusters/{resourceName}/nodeBootstrapping",
       .summary = "Custom data and command for a node that Karpenter creates (provision mode bootstrappingclient)",
       .caller = Caller::kClient,
       .request = {fleet::provision_values_schema()},
       .replies = {{200, "What the VM needs. The bootstrap token is a placeholder.", {kNodeBootstrapping}},
                   refused,
                   {404, "The path names another cluster.", {kAnyText, kText}},
                   {503, "The server does not know a cluster.", {kAnyText, kText}}},
       .handler = node_bootstrapping},
      {.method = "POST",
       .path = "/getnodebootstrapdata",
       .summary = "Custom data and command for an AKSNodeConfig, as AgentBaker's server names them",
       .caller = Caller::kClient,
       .request = {kNodeConfig},
       .replies = {{200, "What the VM needs.", {kBootstrapData}}, refused},
       .handler = node_bootstrap_data,
       .query = {{"os", "the operating system of the image; default: ubuntu2204", false, image_os_schema()}}},
      {.method = "POST",
       .path = "/getlatestsigimageconfig",
       .summary = "The newest image of a distro in the requester's galleries",
       .caller = Caller::kClient,
       .request = {kSigRequest},
       .replies = {{200, "The image.", {kSigImage}}, refused},
       .handler = latest_image},
      {.method = "POST",
       .path = "/getdistrosigimageconfig",
       .summary = "The newest images of all distros in the requester's galleries",
       .caller = Caller::kClient,
       .request = {kSigRequest},
       .replies = {{200,
                    "The images by distro.",
                    {R"({"type":"object","additionalProperties":)" + std::string(kSigImage) + "}"}},
                   refused},
       .handler = all_images},
  };
}

}  // namespace sunup::service
