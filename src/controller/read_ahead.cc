#include "controller/read_ahead.h"

#include "base/node_paths.h"

namespace sunup::controller {
namespace {

// An image may contain several versions of kubelet. The config determines which one is used, and reading all of them
// would delay reading that one.
std::vector<std::string> kubelets(host::Files& files) {
  std::vector<std::string> found;
  for (const std::string folder : {"/opt/bin", "/opt/kubelet/downloads"}) {
    const auto names = files.list_if_there(folder);
    if (!names) continue;
    for (const std::string& name : *names)
      if (name.starts_with("kubelet") && !name.ends_with(".version")) found.push_back(folder + "/" + name);
  }
  return found;
}

}  // namespace

std::vector<std::string> first_programs(host::Files& files) {
  std::vector<std::string> programs = {"/proc/self/exe", paths::kContainerdProgram};
  std::vector<std::string> kubelet = kubelets(files);
  if (kubelet.size() == 1) programs.push_back(std::move(kubelet.front()));
  return programs;
}

}  // namespace sunup::controller
