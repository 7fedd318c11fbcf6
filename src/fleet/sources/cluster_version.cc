#include "fleet/sources/cluster_version.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/version.h"
#include "fleet/sources/crd_rules.h"

namespace sunup::fleet {
namespace {

std::string without_v(const std::string& text) {
  return text.starts_with('v') ? text.substr(1) : text;
}

// Why a node of version `node` does not fit a control plane of version `plane`; empty if it does.
std::string why_not_supported(const std::string& node, const std::string& plane) {
  const Version its = *Version::parse(node);
  const Version planes = *Version::parse(plane);
  if (its.major != planes.major) return "has another major version than";
  if (its.numbers() > planes.numbers()) return "is newer than";
  return planes.minor - its.minor > 3 ? "is more than three minor versions older than" : "";
}

bool newer(const std::string& a, const std::string& b) {
  const auto left = Version::parse(a);
  const auto right = Version::parse(b);
  return left && right && left->numbers() > right->numbers();
}

}  // namespace

bool is_release_version(std::string_view text) {
  if (!Version::parse(text)) return false;
  if (text.starts_with('v')) text.remove_prefix(1);
  const std::string_view numbers = text.substr(0, std::min(text.find_first_of("-+"), text.size()));
  if (std::count(numbers.begin(), numbers.end(), '.') != 2) return false;
  for (size_t at = 0; at < numbers.size(); at = std::min(numbers.find('.', at), numbers.size() - 1) + 1)
    if (numbers[at] == '0' && at + 1 < numbers.size() && numbers[at + 1] != '.') return false;
  return true;
}

Result<Value<std::string>> node_kubernetes_version(const Settings& settings, const Detected& detected,
                                                   const NodeClass& node_class) {
  Value<std::string> version;
  const auto offer_detected = [&] {
    if (detected.kubernetes_version)
      version.offer(Source::kDetected, "the API server's /version", *detected.kubernetes_version);
  };
  const auto offer_status = [&] {
    if (node_class.status.kubernetes_version)
      version.offer(Source::kDetected, "node class status.kubernetesVersion",
                    without_v(*node_class.status.kubernetes_version));
  };
  // Of two offers with equal priority the later one wins.
  if (status_is_behind(settings, detected, node_class)) {
    offer_status();
    offer_detected();
  } else {
    offer_detected();
    offer_status();
  }
  if (settings.given(Option::kKubernetesVersion))
    offer_history(version, settings.at(Option::kKubernetesVersion), without_v);
  if (!version.set())
    return Error("the Kubernetes version is not known")
        .with_hint("give --cluster URL to query the API server, or set kubernetes-version in the settings");
  if (!is_release_version(*version))
    return Error(fmt::format("'{}' from {} is not the version of a Kubernetes release, such as 1.33.1", *version,
                             in_words(version.origin())));
  if (node_class.kubernetes_version) {
    const std::string plane = without_v(node_class.status.control_plane_version.value_or(*version));
    const std::string why = is_release_version(plane) ? why_not_supported(*node_class.kubernetes_version, plane) : "";
    if (!why.empty())
      return Error(
          fmt::format("node class {}: spec.versions.kubernetesVersion: {} {} the control plane's {} "
                      "(KubernetesVersionControlPlaneIncompatible)",
                      node_class.name, *node_class.kubernetes_version, why, plane));
    version.offer(Source::kNodeClass, "spec.versions.kubernetesVersion", *node_class.kubernetes_version);
  }
  return version;
}

bool status_is_behind(const Settings& settings, const Detected& detected, const NodeClass& node_class) {
  return !settings.given(Option::kKubernetesVersion) && detected.kubernetes_version &&
         node_class.status.kubernetes_version &&
         newer(*detected.kubernetes_version, *node_class.status.kubernetes_version);
}

void warn_of_outdated_status(const Settings& settings, const Detected& detected, const NodeClass& node_class,
                             Findings& findings) {
  if (settings.given(Option::kKubernetesVersion) || !detected.kubernetes_version ||
      !node_class.status.kubernetes_version)
    return;
  const std::string path = fmt::format("node class {} status.kubernetesVersion", node_class.name);
  if (status_is_behind(settings, detected, node_class))
    warn(findings, path, "outdated",
         fmt::format("is {}, but the API server has {}; the version of the API server is used, and the images in the "
                     "status are ignored",
                     *node_class.status.kubernetes_version, *detected.kubernetes_version));
  else if (newer(*node_class.status.kubernetes_version, *detected.kubernetes_version))
    warn(findings, path, "outdated",
         fmt::format("is {}, but the API server has {}; the version of a class is never lowered",
                     *node_class.status.kubernetes_version, *detected.kubernetes_version));
}

}  // namespace sunup::fleet
