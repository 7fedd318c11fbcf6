// Removes files that the image and the start of kubelet leave behind, once nothing can need them any more.
#include <set>

#include "base/node_paths.h"
#include "plan/subjects.h"
#include "render/node/online_source.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

// The archives that programs were downloaded in, including what an earlier, interrupted run has left of them.
std::set<std::string> archives_of(const Subject& s) {
  std::set<std::string> archives;
  const std::string folder = "/opt/kubernetes/downloads";
  for (const std::string& name : s.facts.names_in(folder))
    if (name != "private-packages") archives.insert(folder + "/" + name);
  for (const char* program : {"kubelet", "kubectl", "azure-acr-credential-provider"}) {
    const auto sources = std::string_view(program).starts_with("kube")
                             ? node::kube_binary_sources(program, s.config, s.facts)
                             : node::credential_provider_sources(s.config, s.facts, "");
    if (!sources || !node::is_online(sources->front().kind)) continue;
    for (const node::BinarySource& source : *sources)
      if (source.kind == node::SourceKind::kUrl || source.kind == node::SourceKind::kRegistry)
        archives.insert(node::download_path(source, program, s.facts));
  }
  return archives;
}

std::vector<FileEffect> leftovers_with(const Subject& s, const NodeFacts& facts) {
  std::vector<FileEffect> files;
  for (std::string& path : node::node_removals(s.config, facts)) files.push_back({std::move(path), 0});
  for (const std::string& path : archives_of(s)) files.push_back({path, 0});
  for (const std::string& name : facts.names_in("/opt/bin"))
    if (name.starts_with("kubelet-") || name.starts_with("kubectl-")) files.push_back({paths::kKubeTools + name, 0});
  return files;
}

std::vector<FileEffect> leftovers(const Subject& s) {
  return leftovers_with(s, s.facts);
}

// A renamed binary needs no flush: only its name changes, and no data can be lost. An unpacked one needs it.
bool unpacks_kubelet(const Subject& s, const NodeFacts& facts) {
  const auto sources = node::kube_binary_sources("kubelet", s.config, facts);
  if (!sources) return false;
  const node::SourceKind kind = sources->front().kind;
  return kind != node::SourceKind::kCachedBinary && kind != node::SourceKind::kInPlace;
}

// Whether `path` is the source of a program that is not installed yet.
Result<bool> is_still_needed(host::Files& files, std::string_view path) {
  for (const char* tool : {"kubelet", "kubectl"}) {
    const std::string place = std::string(paths::kKubeTools) + tool;
    const auto there = files.exists(place);
    if (!there) return there.error();
    const auto link = files.link_if_there(place);
    if (!link) return link.error();
    if (*there || *link) continue;
    if (path.starts_with(place + "-") || path == std::string("/opt/") + tool + "/downloads" ||
        path.starts_with("/opt/kubernetes/downloads/"))
      return true;
  }
  const bool provider =
      path.starts_with("/opt/azure-acr-credential-provider/") || path.starts_with("/opt/credentialprovider/");
  if (!provider) return false;
  const auto there = files.exists(paths::kCredentialProvider);
  if (!there) return there.error();
  return !*there;
}

Task<Result<void>> remove_leftovers(Context& c, SubjectPtr s) {
  auto facts = facts_now(c, *s);
  if (!facts) co_return std::move(facts).error();
  // The programs unpacked from the archives must be on the disk before the archives are removed.
  if (unpacks_kubelet(*s, *facts))
    if (auto durable = co_await c.host.files.sync(); !durable) co_return durable;
  Result<void> all;
  for (const FileEffect& left : leftovers_with(*s, *facts)) {
    const auto needed = is_still_needed(c.host.files, left.path);
    if (!needed) co_return needed.error();
    if (*needed) {
      const auto there = c.host.files.exists(left.path);
      if (!there) co_return there.error();
      if (*there) c.note("kept, because its program is not installed: " + left.path);
      continue;
    }
    // If one of them cannot be removed, continue with the others.
    auto removed = c.host.files.remove_tree(left.path);
    if (removed) continue;
    c.note("stays: " + removed.error().what);
    if (all) all = std::move(removed);
  }
  co_return all;
}

}  // namespace

Declarations leftover_steps() {
  return {
      {.name = "image.leftovers",
       .purpose = "removes downloads, other versions and drivers that this node does not use",
       .original = "B08, B17, B21, B22, N23, N27",
       .task = "AKS.CSE.cleanUpGPUDrivers",
       .phase = node::Phase::kBoth,
       .needs = {kMetadata},
       .after = {"kubectl.binary", "kubelet.binary", "kubelet.credential_provider", "cni.config"},
       .files = leftovers,
       .deferred = true,
       .deadline = 300s,
       .fatal = false,
       .body = remove_leftovers},
  };
}

}  // namespace sunup::plan
