#include "render/node/kubelet_config.h"

#include <nlohmann/json.hpp>

#include "base/node_paths.h"
#include "render/kubelet_config_file.h"
#include "render/node/kubelet_serving.h"

namespace sunup::render::node {
namespace {

// The file that the sender of a command has rendered, adapted in the same way.
Result<std::string> as_sent(const std::string& text, ServingCertificate serving) {
  if (serving == ServingCertificate::kSelfSigned) return text;
  auto file = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!file.is_object()) return Error("the command's KUBELET_CONFIG_FILE_CONTENT is not a JSON object");
  if (serving == ServingCertificate::kRotationVetoed) file["serverTLSBootstrap"] = false;
  if (serving == ServingCertificate::kRotated) {
    file.erase("tlsCertFile");
    file.erase("tlsPrivateKeyFile");
  }
  return file.dump(4, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

Result<NodeFiles> kubelet_config_files(const Configuration& config, const NodeFacts& facts) {
  if (!config.kubelet_config().enable_kubelet_config_file()) return NodeFiles{};
  constexpr auto& kPath = paths::kKubeletConfig;
  if (const std::string* sent = facts.sent_text("KUBELET_CONFIG_FILE_CONTENT")) {
    auto text = as_sent(*sent, serving_certificate(config, facts));
    if (!text) return text.error();
    return NodeFiles{{kPath, 0600, *std::move(text)}};
  }
  Configuration mine;
  mine.set_kubernetes_version(config.kubernetes_version());
  auto* file = mine.mutable_kubelet_config()->mutable_kubelet_config_file_config();
  *file = config.kubelet_config().kubelet_config_file_config();
  apply_to_config_file(serving_certificate(config, facts), *file);
  return NodeFiles{{kPath, 0600, kubelet_config_file(mine, KubeletKeys::kAsKubeletReadsThem)}};
}

}  // namespace sunup::render::node
