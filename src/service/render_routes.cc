// Routes that render an AKSNodeConfig.
#include "base/base64.h"
#include "contract/load.h"
#include "render/cse_env.h"
#include "render/custom_data.h"
#include "service/answers.h"
#include "service/routes.h"
#include "service/schemas.h"

namespace sunup::service {
namespace {

using nlohmann::ordered_json;

ApiResponse render_env(const ApiRequest& request) {
  auto loaded = contract::load_text(request.body, "request");
  if (!loaded) return refuse(422, loaded.error());
  ordered_json variables = ordered_json::object();
  for (const auto& [name, value] : render::cse_environment(loaded->config, {})) variables[name] = value;
  return answer(variables);
}

ApiResponse render_custom_data(const ApiRequest& request) {
  auto loaded = contract::load_text(request.body, "request");
  if (!loaded) return refuse(422, loaded.error());
  const std::string os = request.query_value("os");
  auto form = render::form_for_os(os.empty() ? "ubuntu2204" : os);
  if (!form) return refuse(400, form.error());
  auto data = render::custom_data(loaded->config, {.form = *form, .unknown = std::move(loaded->unknown)});
  if (!data) return refuse(422, data.error());
  return answer({{"customData", base64_encode(*data)}});
}

constexpr char kStrings[] = R"({"type":"object","additionalProperties":{"type":"string"}})";
constexpr char kCustomData[] =
    R"({"type":"object","required":["customData"],"properties":{"customData":{"type":"string","contentEncoding":"base64"}}})";

}  // namespace

std::vector<Route> render_routes() {
  const Reply refused{422, "The config is refused.", {kError}};
  return {
      {.method = "POST",
       .path = "/v1/render/env",
       .summary = "The environment for the provisioning scripts of a node image",
       .caller = Caller::kClient,
       .request = {kNodeConfig},
       .replies = {{200, "The variables.", {kStrings}}, refused},
       .handler = render_env},
      {.method = "POST",
       .path = "/v1/render/custom-data",
       .summary = "The custom data of a VM, which passes the config to the node",
       .caller = Caller::kClient,
       .request = {kNodeConfig},
       .replies = {{200, "The custom data.", {kCustomData}}, refused},
       .handler = render_custom_data,
       .query = {{"os", "the operating system of the image; default: ubuntu2204"}}},
  };
}

}  // namespace sunup::service
