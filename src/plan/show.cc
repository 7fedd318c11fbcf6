#include "plan/show.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/node_paths.h"
#include "plan/catalogue.h"

namespace sunup::plan {
namespace {

using engine::Graph;
using Json = nlohmann::ordered_json;

constexpr mode_t kLink = 0777;  // the mode of a symbolic link; regular files of a node are never world-writable

// A removed file has no mode.
std::string mode_text(mode_t mode) {
  return mode == 0 ? "gone" : fmt::format("{:04o}", mode);
}

// The files that remain when the step is done.
std::vector<engine::FileEffect> results(const engine::Step& step) {
  std::vector<engine::FileEffect> files = step.files;
  std::erase_if(files, [](const engine::FileEffect& file) { return file.temporary; });
  return files;
}

// The exit code of the result if this step fails; null if its failure does not end provisioning. 1 is the code of a
// step without a code of its own, such as a hook.
Json exit_code_json(const engine::Step& step) {
  if (!step.fatal || step.phase == engine::Phase::kDeferred) return nullptr;
  return step.exit_code == 0 ? 1 : step.exit_code;
}

double seconds(engine::Duration time) {
  return std::chrono::duration<double>(time).count();
}

// The command variables that determine most of a file's content.
struct FileOrigin {
  std::string_view path;
  std::vector<std::string_view> variables;
};
const std::vector<FileOrigin>& file_origins() {
  static const std::vector<FileOrigin> kOrigins = {
      {paths::kContainerdConfig, {"CONTAINERD_CONFIG_CONTENT", "CONTAINERD_CONFIG_NO_GPU_CONTENT"}},
      {paths::kKubenetTemplate, {"KUBENET_TEMPLATE"}},
      {paths::kKubeletFlags, {"KUBELET_FLAGS", "KUBELET_NODE_LABELS"}},
      {paths::kKubeletConfig, {"KUBELET_CONFIG_FILE_CONTENT"}},
      {"/etc/kubernetes/akscustom.json", {"CUSTOM_ENV_JSON"}},
      {paths::kClusterCa, {"KUBE_CA_CRT"}},
      {"/etc/sysctl.d/999-sysctl-aks.conf", {"SYSCTL_CONTENT"}},
      {paths::kLocalDnsCorefile, {"LOCALDNS_COREFILE_BASE", "LOCALDNS_GENERATED_COREFILE"}},
      {paths::kBootstrapKubeconfig, {"TLS_BOOTSTRAP_TOKEN", "API_SERVER_NAME", "KUBE_CA_CRT"}},
  };
  return kOrigins;
}

// Those of them that this command has.
std::vector<std::string> origins_of(std::string_view path, const Subject* subject) {
  std::vector<std::string> names;
  if (subject == nullptr || subject->origins.empty()) return names;
  const auto has = [&](std::string_view name) {
    return subject->facts.sent.contains(name) ||
           std::ranges::any_of(subject->origins, [&](const auto& origin) { return origin.second == name; });
  };
  for (const FileOrigin& origin : file_origins())
    for (const std::string_view name : origin.variables)
      if (origin.path == path && has(name)) names.emplace_back(name);
  return names;
}

}  // namespace

std::string plan_text(const Graph& graph, const Subject* subject) {
  const std::vector<size_t> path = graph.critical_path(usual_profile());
  const std::set<size_t> critical(path.begin(), path.end());
  std::string out =
      fmt::format("{} steps; * marks the steps that determine when {} is reached\n", graph.size(), graph.milestone());
  out += fmt::format(
      "critical: {} waits for it; completion: the result (provision.complete) waits for it; deferred: nothing waits "
      "for it\n",
      graph.milestone());
  for (const size_t i : graph.order()) {
    const engine::Step& step = graph.steps()[i];
    out += fmt::format("{} {:<28} {:<10} {}\n", critical.contains(i) ? "*" : " ", step.name, to_string(graph.rank(i)),
                       step.purpose);
    for (const engine::FileEffect& file : results(step)) {
      const auto origins = origins_of(file.path, subject);
      out += fmt::format("      {} {}{}{}\n", file.mode == kLink ? "link" : mode_text(file.mode), file.path,
                         origins.empty() ? "" : "  from the command's ", fmt::join(origins, ", "));
    }
    if (!step.units.empty()) out += fmt::format("      unit {}\n", fmt::join(step.units, ", "));
  }
  return out;
}

std::string plan_json(const Graph& graph, const Subject* subject) {
  Json steps = Json::array();
  for (const size_t i : graph.order()) {
    const engine::Step& step = graph.steps()[i];
    Json files = Json::array();
    for (const engine::FileEffect& file : results(step)) {
      files.push_back(Json{{"path", file.path}, {"mode", mode_text(file.mode)}});
      if (file.mode == kLink) files.back()["link"] = true;
      if (const auto origins = origins_of(file.path, subject); !origins.empty()) files.back()["command"] = origins;
    }
    Json provides = Json::array({step.name});
    for (const std::string& name : step.provides) provides.push_back(name);
    steps.push_back(Json{{"name", step.name},
                         {"purpose", step.purpose},
                         {"needs", step.needs},
                         {"after", step.after},
                         {"provides", provides},
                         {"phase", to_string(graph.rank(i))},
                         {"files", files},
                         {"units", step.units},
                         {"fatal", step.fatal},
                         {"exit_code", exit_code_json(step)},
                         {"deadline", seconds(step.deadline)},
                         {"retries", step.retry.attempts - 1}});
  }
  Json path = Json::array();
  for (const size_t i : graph.critical_path(usual_profile())) path.push_back(graph.steps()[i].name);
  const Json all{{"milestone", graph.milestone()}, {"steps", steps}, {"critical_path", path}};
  return all.dump(2) + "\n";
}

std::string plan_dot(const Graph& graph) {
  const std::vector<size_t> path = graph.critical_path(usual_profile());
  const std::set<size_t> critical(path.begin(), path.end());
  std::string out = "digraph plan {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n";
  for (size_t i = 0; i < graph.size(); ++i)
    out += fmt::format("  \"{}\" [style=\"{}\"{}];\n", graph.steps()[i].name,
                       graph.rank(i) == engine::Rank::kDeferred ? "dashed" : "solid",
                       critical.contains(i) ? ", penwidth=3" : "");
  for (size_t i = 0; i < graph.size(); ++i)
    for (const Graph::Edge& edge : graph.before(i))
      out += fmt::format("  \"{}\" -> \"{}\"{};\n", graph.steps()[edge.step].name, graph.steps()[i].name,
                         edge.needed ? "" : " [style=dotted]");
  return out + "}\n";
}

}  // namespace sunup::plan
