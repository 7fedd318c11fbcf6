// containerd's configuration for the first generation of script-free images: schema 2 with the plugin names of
// containerd 1.x, for every image.
#pragma once

#include <string>

namespace sunup::fleet {

struct ContainerdChoices {
  bool nvidia = false;          // run pods with NVIDIA's runtime
  bool kubenet_bridge = false;  // point CNI at kubenet's template
};

std::string scriptless_containerd_config(const ContainerdChoices& choices);

}  // namespace sunup::fleet
