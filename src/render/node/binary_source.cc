#include "render/node/binary_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "base/exit_code.h"
#include "base/node_paths.h"
#include "base/text.h"
#include "base/version_changes.h"
#include "render/node/online_source.h"
#include "render/node/registry.h"

namespace sunup::render::node {
namespace {

constexpr std::string_view kProviderPackage = "azure-acr-credential-provider";

// The file name in a path or a URL.
std::string_view file_name(std::string_view path) {
  path = path.substr(0, path.find_first_of("?#"));
  return path.substr(path.rfind('/') + 1);
}

std::string plain_version(std::string_view version) {
  return std::string(version.starts_with('v') ? version.substr(1) : version);
}

// Everything that the choice depends on, besides the listing.
struct Situation {
  Situation(const Configuration& config, const NodeFacts& facts)
      : version(plain_version(config.kubernetes_version())),
        registry(config.bootstrap_profile_container_registry_server()),
        format(traits(facts.distro).packages),
        enforce_packages(facts.tag("ShouldEnforceKubePMCInstall")),
        only_urls(!traits(facts.distro).kube_packages && registry.empty()) {}

  // The repositories have no packages for versions before these.
  bool prefers_url(const versions::Change& packages) const {
    return only_urls || (format != PackageFormat::kSysext && !enforce_packages && !package_at_least(version, packages));
  }

  std::string version;
  std::string registry;
  PackageFormat format;
  bool enforce_packages;
  bool only_urls;
};

void add_if_there(BinarySources& sources, const NodeFacts& facts, SourceKind kind, std::string path) {
  if (!path.empty() && facts.has(path)) sources.push_back({kind, std::move(path), ""});
}

void add_if_in_place(BinarySources& sources, std::string_view tool, const Configuration& config,
                     const NodeFacts& facts) {
  if (kube_tool_in_place(tool, config, facts))
    sources.push_back({SourceKind::kInPlace, fmt::format("{}{}", paths::kKubeTools, tool), ""});
  else if (!facts.in_place.contains(std::string(tool)))
    add_if_there(sources, facts, SourceKind::kUnmarked, fmt::format("{}{}", paths::kKubeTools, tool));
}

// A URL without a scheme is an OCI reference.
BinarySource from_url(const std::string& url) {
  return {url.find("://") == std::string::npos ? SourceKind::kRegistry : SourceKind::kUrl, url, ""};
}

// A tag must not contain a tilde.
std::string registry_tag(std::string version) {
  std::replace(version.begin(), version.end(), '~', '-');
  return "v" + version;
}

void add_url_sources(BinarySources& sources, std::string_view tool, const Configuration& config, const NodeFacts& facts,
                     const Situation& now) {
  const auto& urls = config.kube_binary_config();
  if (!urls.custom_kube_binary_url().empty()) {
    sources.push_back(from_url(urls.custom_kube_binary_url()));
    return;
  }
  if (!urls.private_kube_binary_url().empty()) {
    add_if_there(
        sources, facts, SourceKind::kCachedArchive,
        fmt::format("/opt/kubernetes/downloads/private-packages/{}", file_name(urls.private_kube_binary_url())));
  }
  add_if_there(sources, facts, SourceKind::kCachedBinary, fmt::format("{}{}-{}", paths::kKubeTools, tool, now.version));
  add_if_in_place(sources, tool, config, facts);
  if (!now.registry.empty()) {
    sources.push_back({SourceKind::kRegistry,
                       fmt::format("{}/oss/binaries/kubernetes/kubernetes-node:{}-linux-{}", now.registry,
                                   registry_tag(now.version), facts.arch),
                       ""});
  } else if (!urls.kube_binary_url().empty()) {
    sources.push_back(from_url(urls.kube_binary_url()));
  }
}

void add_cached_packages(BinarySources& sources, std::string_view tool, const NodeFacts& facts, const Situation& now) {
  const std::string folder = fmt::format("/opt/{}/downloads", tool);
  const std::string binary = fmt::format("{}{}-{}", paths::kKubeTools, tool, now.version);
  const auto package = [&] {
    add_if_there(sources, facts, SourceKind::kCachedPackage, newest_cached(facts, folder, tool, now.version));
  };
  const bool package_first = traits(facts.distro).cached_package_first;
  if (package_first) package();
  if (!now.enforce_packages) add_if_there(sources, facts, SourceKind::kCachedBinary, binary);
  if (!package_first) package();
}

std::string sysext_arch(std::string_view arch) {
  return std::string(arch == "amd64" ? "x86-64" : arch);
}

// The tag of a mirror is known; of Microsoft's tags only the prefix is known.
BinarySource online_sysext(std::string_view name, std::string_view version, const NodeFacts& facts,
                           const Situation& now) {
  const bool mirror = !now.registry.empty();
  return {SourceKind::kOnlineSysext,
          fmt::format("{}/oss/v2/kubernetes/{}-sysext", mirror ? now.registry : std::string(kMicrosoftRegistry), name),
          mirror ? fmt::format("v{}-1-azlinux3-{}", version, facts.arch) : fmt::format("v{}", version)};
}

void add_sysexts(BinarySources& sources, std::string_view tool, const NodeFacts& facts, const Situation& now) {
  add_if_there(sources, facts, SourceKind::kCachedSysext,
               newest_cached(facts, fmt::format("/opt/{}/downloads", tool), fmt::format("{}-v", tool), now.version,
                             fmt::format("-{}.raw", sysext_arch(facts.arch))));
  sources.push_back(online_sysext(tool, now.version, facts, now));
}

}  // namespace

std::string kube_version_file(std::string_view tool) {
  return fmt::format("{}{}.version", paths::kKubeTools, tool);
}

std::string version_mark(std::string_view kubernetes_version, uint64_t size) {
  return fmt::format("{} {}\n", plain_version(kubernetes_version), size);
}

std::string marked_version(std::string_view mark, uint64_t size) {
  const auto parts = unicode::words(mark);
  if (parts.empty() || parts.size() > 2) return "";
  if (parts.size() == 2 && parts[1] != std::to_string(size)) return "";
  return plain_version(parts[0]);
}

bool kube_tool_in_place(std::string_view tool, const Configuration& config, const NodeFacts& facts) {
  const auto known = facts.in_place.find(std::string(tool));
  return known != facts.in_place.end() && !known->second.empty() &&
         known->second == plain_version(config.kubernetes_version());
}

bool holds_version(std::string_view name, std::string_view version) {
  if (version.empty()) return true;
  for (size_t at = name.find(version); at != std::string_view::npos; at = name.find(version, at + 1)) {
    const size_t end = at + version.size();
    const bool starts = at == 0 || (!is_digit(name[at - 1]) && name[at - 1] != '.');
    if (starts && (end == name.size() || !is_digit(name[end]))) return true;
  }
  return false;
}

std::string newest_cached(const NodeFacts& facts, std::string_view folder, std::string_view name,
                          std::string_view version, std::string_view suffix) {
  std::string newest;
  for (const std::string& file : facts.names_in(std::string(folder))) {
    if (file.find(name) == std::string::npos || !file.ends_with(suffix)) continue;
    const size_t at = file.find(name) + name.size();
    if (!holds_version(name.ends_with("-v") ? std::string_view(file).substr(at) : file, version)) continue;
    if (newest.empty() || natural_order(file, newest) > 0) newest = file;
  }
  return newest.empty() ? newest : std::string(folder) + "/" + newest;
}

Result<BinarySources> kube_binary_sources(std::string_view tool, const Configuration& config, const NodeFacts& facts) {
  const Situation now(config, facts);
  const auto& urls = config.kube_binary_config();
  BinarySources sources;
  const bool own_url = !urls.custom_kube_binary_url().empty() || !urls.private_kube_binary_url().empty();
  if (own_url || now.prefers_url(versions::kKubeletPackages)) {
    add_url_sources(sources, tool, config, facts, now);
  } else if (now.format == PackageFormat::kSysext) {
    add_sysexts(sources, tool, facts, now);
    add_url_sources(sources, tool, config, facts, now);
  } else {
    add_cached_packages(sources, tool, facts, now);
    add_if_in_place(sources, tool, config, facts);
    if (now.registry.empty()) {
      sources.push_back({SourceKind::kOnlinePackage, std::string(tool), now.version});
    } else {
      sources.push_back({SourceKind::kRegistry,
                         fmt::format("{}/aks/packages/kubernetes/{}:{}", now.registry, tool, registry_tag(now.version)),
                         ""});
      if (!now.enforce_packages) add_url_sources(sources, tool, config, facts, now);
    }
  }
  // Sources in the image precede sources that must be downloaded, where both are suitable.
  std::stable_partition(sources.begin(), sources.end(),
                        [](const BinarySource& source) { return !is_online(source.kind); });
  if (sources.empty()) {
    Error nowhere(fmt::format("{} {} is not in the image, and the config names no source for it", tool, now.version));
    nowhere.os_errno = ENODATA;  // a retry does not help
    return std::move(nowhere)
        .with_hint("set kube_binary_config.kube_binary_url, or use an image that has this version")
        .with_code(exit_code::kKubeletInstallFail);
  }
  return sources;
}

Result<BinarySources> credential_provider_sources(const Configuration& config, const NodeFacts& facts,
                                                  std::string_view package_version) {
  const Situation now(config, facts);
  const std::string& url = config.kube_binary_config().linux_credential_provider_url();
  BinarySources sources;
  constexpr const char* kFolder = "/opt/azure-acr-credential-provider/downloads";
  constexpr auto& kInPlacePath = paths::kCredentialProvider;
  const auto add_cached_archive = [&] {
    if (!url.empty())
      add_if_there(sources, facts, SourceKind::kCachedArchive,
                   fmt::format("/opt/credentialprovider/downloads/{}", file_name(url)));
  };
  const auto add_url = [&] {
    if (!url.empty()) sources.push_back(from_url(url));
  };
  const bool sysext = now.format == PackageFormat::kSysext;
  const auto add_cached = [&](std::string_view version) {
    const std::string suffix = sysext ? fmt::format("-{}.raw", sysext_arch(facts.arch)) : "";
    add_if_there(sources, facts, sysext ? SourceKind::kCachedSysext : SourceKind::kCachedPackage,
                 newest_cached(facts, kFolder, kProviderPackage, version, suffix));
  };
  if (now.prefers_url(versions::kCredentialProviderPackages)) {
    add_cached_archive();
    add_if_there(sources, facts, SourceKind::kInPlace, kInPlacePath);
    add_url();
  } else {
    add_cached(package_version);
    if (sources.empty()) add_cached("");
    add_if_there(sources, facts, SourceKind::kInPlace, kInPlacePath);
    if (sysext) {
      sources.push_back(online_sysext(kProviderPackage, package_version, facts, now));
    } else if (now.registry.empty()) {
      sources.push_back({SourceKind::kOnlinePackage, std::string(kProviderPackage), std::string(package_version)});
    } else if (!package_version.empty()) {
      sources.push_back({SourceKind::kRegistry,
                         fmt::format("{}/aks/packages/kubernetes/{}:{}", now.registry, kProviderPackage,
                                     registry_tag(std::string(package_version))),
                         ""});
    }
    if (!now.registry.empty()) {
      add_cached_archive();
      add_url();
    }
  }
  if (sources.empty()) {
    return Error("the image credential provider is neither in the image nor named by the config")
        .with_hint(
            "set kube_binary_config.linux_credential_provider_url, or drop kubelet's image-credential-provider flags")
        .with_code(exit_code::kCredentialProviderDownloadTimeout);
  }
  return sources;
}

}  // namespace sunup::render::node
