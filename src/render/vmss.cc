#include "render/vmss.h"

#include <nlohmann/json.hpp>

#include "base/base64.h"

namespace sunup::render {

Result<std::string> vmss_model(const aksnodeconfig::v1::Configuration& config, const CustomDataOptions& options) {
  const Result<std::string> data = custom_data(config, options);
  if (!data) return data.error();

  using nlohmann::ordered_json;
  // The command contains no secret. It is a protected setting because the platform logs unprotected settings, and
  // because moving a setting from one kind to the other would make every existing VM differ from its model.
  const ordered_json extension = {{"name", "vmssCSE"},
                                  {"properties",
                                   {{"publisher", "Microsoft.Azure.Extensions"},
                                    {"type", "CustomScript"},
                                    {"typeHandlerVersion", "2.0"},
                                    {"autoUpgradeMinorVersion", true},
                                    {"settings", ordered_json::object()},
                                    {"protectedSettings", {{"commandToExecute", kCseCommand}}}}}};
  ordered_json model;
  model["osProfile"]["customData"] = base64_encode(*data);
  model["extensionProfile"]["extensions"] = ordered_json::array({extension});
  return model.dump(2) + "\n";
}

}  // namespace sunup::render
