// What nobody waits for: it starts when kubelet runs, and never keeps a node from being ready.
#include <algorithm>

#include "plan/subjects.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

std::vector<FileEffect> leftovers(const Subject& s) {
  std::vector<FileEffect> files;
  for (std::string& path : node::node_removals(s.config, s.facts)) files.push_back({std::move(path), 0});
  for (const std::string& path : s.facts.paths)
    if (path.starts_with("/opt/bin/kubelet-") || path.starts_with("/opt/bin/kubectl-")) files.push_back({path, 0});
  return files;
}

Task<Result<void>> remove_leftovers(Context& c, SubjectPtr s) {
  for (const FileEffect& left : leftovers(*s))
    if (auto removed = c.host.files.remove_tree(left.path); !removed) c.note("stays: " + removed.error().what);
  co_return Result<void>();
}

constexpr char kLogFolder[] = "/var/log/azure/aks";

// A support bundle takes this folder; the links bring in what lives elsewhere.
std::vector<std::pair<std::string, std::string>> log_links(const NodeFacts& facts) {
  std::vector<std::string> targets = {"/var/log/azure/cluster-provision.log",
                                      "/var/log/azure/cluster-provision-cse-output.log",
                                      "/opt/azure/cloud-init-files.paved", "/opt/azure/vhd-install.complete"};
  for (const std::string& path : facts.paths)
    if (path.starts_with("/opt/azure/") && path.ends_with(".json") && path.find('/', 11) == std::string::npos)
      targets.push_back(path);
  std::vector<std::pair<std::string, std::string>> links;
  for (const std::string& target : targets)
    links.emplace_back(std::string(kLogFolder) + target.substr(target.rfind('/')), target);
  return links;
}

std::vector<FileEffect> log_link_files(const Subject& s) {
  std::vector<FileEffect> files;
  for (const auto& [path, target] : log_links(s.facts)) files.push_back({path, 0777});
  return files;
}

Task<Result<void>> link_logs(Context& c, SubjectPtr s) {
  for (const auto& [path, target] : log_links(s->facts)) {
    if (c.host.files.read_link(path).value_or("") == target) continue;
    if (auto linked = c.host.files.symlink(target, path); !linked) co_return linked;
  }
  co_return Result<void>();
}

}  // namespace

Declarations later_steps() {
  return {
      {.name = "image.leftovers",
       .purpose = "removes downloads, other versions and drivers that this node does not use",
       .original = "B08, B17, B21, B22, N23, N27",
       .task = "AKS.CSE.cleanUpGPUDrivers",
       .phase = node::Phase::kBoth,
       .after = {"kubectl.binary", "kubelet.binary", "kubelet.credential_provider", "cni.config"},
       .files = leftovers,
       .deferred = true,
       .deadline = 300s,
       .fatal = false,
       .body = remove_leftovers},
      {.name = "logs.links",
       .purpose = "links the node's logs into the folder that support bundles take",
       .original = "S5",
       .phase = node::Phase::kBoth,
       .files = log_link_files,
       .lasts = Lasts::kOnDisk,
       .fatal = false,
       .body = link_logs},
  };
}

}  // namespace sunup::plan
