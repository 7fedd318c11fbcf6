#include "render/node/private_hosts.h"

#include "render/node/unit_text.h"

namespace sunup::render::node {

Result<NodeFiles> private_hosts_files(const Configuration& config, const NodeFacts&) {
  if (!config.enable_hosts_config_agent()) return NodeFiles{};
  UnitText text;
  text.section("Service").environment("KUBE_API_SERVER_NAME", config.api_server_config().api_server_name());
  return NodeFiles{
      {"/etc/systemd/system/reconcile-private-hosts.service.d/10-fqdn.conf", 0644, std::move(text).take()}};
}

}  // namespace sunup::render::node
