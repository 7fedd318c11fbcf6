// The requests of Karpenter's NodeBootstrapping client and of AgentBaker's image routes: any bytes are refused with a
// reason, or give custom data that the node can read, and images.
#include <nlohmann/json.hpp>

#include "azure/custom_data.h"
#include "base/base64.h"
#include "fleet/launch/node_bootstrapping.h"
#include "fleet/launch/sig_images.h"
#include "fleet/sources/document.h"
#include "fleet/sources/settings.h"
#include "require.h"

using namespace sunup;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fleet::Settings kSettings = [] {
    fleet::Findings findings;
    const nlohmann::json given = {{"cluster-name", "cl"},
                                  {"cluster-endpoint", "https://cl.example.com:443"},
                                  {"node-resource-group", "mc"},
                                  {"subscription-id", "12345678-1234-1234-1234-123456789012"},
                                  {"location", "eastus"}};
    return fleet::read_settings({{given, {}, ""}}, {}, findings);
  }();
  const auto body = fleet::read_json_document(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!body) return 0;
  if (const auto images = fleet::distro_sig_images(body->value, fleet::recorded_image_versions()); images)
    require(!images->empty(), "a request that is read has images");
  (void)fleet::latest_sig_image(body->value, fleet::recorded_image_versions());
  const auto made = fleet::node_bootstrapping(body->value, kSettings, fleet::recorded_image_versions());
  if (!made) {
    require(!made.error().what.empty(), "a refusal has a reason");
    return 0;
  }
  const auto bytes = base64_decode(made->custom_data);
  require(bytes.has_value(), "custom data is base64");
  require(bytes->find(fleet::kTokenPlaceholder) != std::string::npos, "the placeholder stands in plain text");
  require(static_cast<bool>(azure::read_custom_data(*bytes)), "custom data can be read");
  return 0;
}
