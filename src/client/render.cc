#include <sunup/render.h>

#include "client/content.h"
#include "render/cse_command.h"
#include "render/cse_env.h"
#include "render/custom_data.h"
#include "render/vmss.h"

namespace sunup {

Result<std::map<std::string, std::string>> cse_environment(const NodeConfig& config, const NodeImage& image) {
  render::ImageFacts facts{image.containerd_version, {}};
  if (!image.components_json.empty()) {
    auto gpu = render::parse_gpu_components(image.components_json);
    if (!gpu) return std::move(gpu).error().in("components");
    facts.gpu = *std::move(gpu);
  }
  return render::cse_environment(config.content().config, facts);
}

Result<std::string> custom_data(const NodeConfig& config, std::string_view os) {
  const Result<render::CustomDataForm> form = render::form_for_os(os);
  if (!form) return form.error();
  return render::custom_data(config.content().config, {.form = *form});
}

std::string_view cse_command() {
  return render::kCseCommand;
}

Result<std::string> vmss_model(const NodeConfig& config, std::string_view os) {
  const Result<render::CustomDataForm> form = render::form_for_os(os);
  if (!form) return form.error();
  return render::vmss_model(config.content().config, {.form = *form});
}

}  // namespace sunup
