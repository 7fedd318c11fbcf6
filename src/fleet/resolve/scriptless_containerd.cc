#include "fleet/resolve/scriptless_containerd.h"

#include <fmt/format.h>

namespace sunup::fleet {

std::string scriptless_containerd_config(const ContainerdChoices& choices) {
  constexpr std::string_view kCri = R"(plugins."io.containerd.grpc.v1.cri")";
  const std::string_view runtime = choices.nvidia ? "nvidia-container-runtime" : "runc";
  std::string text = fmt::format(
      R"(version = 2
oom_score = 0
[{0}]
  sandbox_image = "mcr.microsoft.com/oss/kubernetes/pause:3.6"
  [{0}.containerd]
    default_runtime_name = "{1}"
    [{0}.containerd.runtimes.{1}]
      runtime_type = "io.containerd.runc.v2"
    [{0}.containerd.runtimes.{1}.options]
      BinaryName = "/usr/bin/{1}"
      SystemdCgroup = true
    [{0}.containerd.runtimes.untrusted]
      runtime_type = "io.containerd.runc.v2"
    [{0}.containerd.runtimes.untrusted.options]
      BinaryName = "/usr/bin/{1}"
)",
      kCri, runtime);
  if (choices.kubenet_bridge)
    text += fmt::format(
        R"(  [{}.cni]
    bin_dir = "/opt/cni/bin"
    conf_dir = "/etc/cni/net.d"
    conf_template = "/etc/containerd/kubenet_template.conf"
)",
        kCri);
  text += fmt::format(
      R"(  [{0}.registry]
    config_path = "/etc/containerd/certs.d"
  [{0}.registry.headers]
    X-Meta-Source-Client = ["azure/aks"]
[metrics]
  address = "0.0.0.0:10257"
)",
      kCri);
  return text;
}

}  // namespace sunup::fleet
