#include "render/node/kubelet_config.h"

#include "render/kubelet_config_file.h"
#include "render/node/kubelet_serving.h"

namespace sunup::render::node {

Result<NodeFiles> kubelet_config_files(const Configuration& config, const NodeFacts& facts) {
  if (!config.kubelet_config().enable_kubelet_config_file()) return NodeFiles{};
  Configuration mine;
  mine.set_kubernetes_version(config.kubernetes_version());
  auto* file = mine.mutable_kubelet_config()->mutable_kubelet_config_file_config();
  *file = config.kubelet_config().kubelet_config_file_config();
  apply_to_config_file(serving_certificate(config, facts), *file);
  return NodeFiles{
      {"/etc/default/kubeletconfig.json", 0600, kubelet_config_file(mine, KubeletKeys::kAsKubeletReadsThem)}};
}

}  // namespace sunup::render::node
