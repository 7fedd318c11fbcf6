#include "render/node/component_list.h"

#include <nlohmann/json.hpp>

#include "base/json_member.h"
#include "base/json_nesting.h"
#include "base/version.h"

namespace sunup::render::node {
namespace {

using nlohmann::json;

// Every "latestVersion" below a JSON value at any depth, because releases nest them differently.
void collect(const json& node, std::vector<std::string>& versions) {
  if (node.is_object())
    for (const auto& [name, value] : node.items()) {
      if (name == "latestVersion" && value.is_string() && value != "<SKIP>")
        versions.push_back(value.get<std::string>());
      else
        collect(value, versions);
    }
  if (node.is_array())
    for (const json& item : node) collect(item, versions);
}

}  // namespace

std::vector<std::string> credential_provider_versions(std::string_view components_json, const NodeFacts& facts) {
  std::vector<std::string> versions;
  if (nested_too_deeply(components_json)) return versions;
  const json document = json::parse(components_json, nullptr, false);
  const json& packages = member_of(document, "Packages");
  if (!packages.is_array()) return versions;
  for (const json& package : packages) {
    const json& places = member_of(package, "downloadURIs");
    if (text_of(package, "name") != "azure-acr-credential-provider-pmc") continue;
    const DistroTraits& row = traits(facts.distro);
    const std::string_view own = row.packages == PackageFormat::kSysext ? row.name : row.package_os;
    collect(places.is_object() && places.contains(own) ? *places.find(own) : places, versions);
  }
  return versions;
}

std::string credential_provider_version(const std::vector<std::string>& versions, std::string_view kubernetes_version) {
  const auto minor = [](std::string_view version) {
    const size_t first = version.find('.');
    return version.substr(0, first == std::string_view::npos ? first : version.find_first_of(".-", first + 1));
  };
  const std::string cluster =
      std::string(kubernetes_version.starts_with('v') ? kubernetes_version.substr(1) : kubernetes_version);
  std::string best;
  bool same_minor = false;
  for (const std::string& version : versions) {
    const bool same = minor(version) == minor(cluster);
    if (same_minor && !same) continue;
    if (best.empty() || (same && !same_minor) || natural_order(version, best) > 0) best = version;
    same_minor = same_minor || same;
  }
  return best.substr(0, best.find('-'));
}

}  // namespace sunup::render::node
