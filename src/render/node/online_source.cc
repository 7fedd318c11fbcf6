#include "render/node/online_source.h"

#include <fmt/format.h>

#include "base/exit_code.h"
#include "base/text.h"
#include "base/version.h"

namespace sunup::render::node {
namespace {

constexpr std::string_view kProviderPackage = "azure-acr-credential-provider";

}  // namespace

bool is_online(SourceKind kind) {
  switch (kind) {
    case SourceKind::kOnlinePackage:
    case SourceKind::kOnlineSysext:
    case SourceKind::kRegistry:
    case SourceKind::kUrl:
      return true;
    case SourceKind::kCachedBinary:
    case SourceKind::kCachedPackage:
    case SourceKind::kCachedArchive:
    case SourceKind::kCachedSysext:
    case SourceKind::kInPlace:
    case SourceKind::kUnmarked:
      break;
  }
  return false;
}

int failure_code(SourceKind kind, std::string_view program) {
  const bool provider = program == kProviderPackage;
  if (kind == SourceKind::kOnlineSysext) return exit_code::kOrasPullSysextFail;
  if (kind == SourceKind::kRegistry)
    return provider ? exit_code::kOrasPullCredentialProvider : exit_code::kOrasPullK8sFail;
  if (provider) return exit_code::kCredentialProviderDownloadTimeout;
  if (kind == SourceKind::kUrl) return exit_code::kK8sDownloadTimeout;
  if (kind == SourceKind::kCachedPackage) return exit_code::kAptInstallTimeout;
  return program == "kubectl" ? exit_code::kKubectlInstallFail : exit_code::kKubeletInstallFail;
}

std::string download_path(const BinarySource& source, std::string_view program, const NodeFacts& facts) {
  if (source.kind == SourceKind::kOnlineSysext) {
    const std::string_view sysext_arch =
        facts.arch == "amd64" ? std::string_view("x86-64") : std::string_view(facts.arch);
    const std::string prefix = source.version.substr(0, source.version.find_first_of("-~"));
    return fmt::format("/opt/{0}/downloads/{0}-{1}-online-{2}.raw", program, prefix, sysext_arch);
  }
  // The file's name alone is not unique: the archives of Kubernetes have the same name in every version.
  std::string name = source.where.substr(0, source.where.find_first_of("?#"));
  name = name.substr(name.find("://") == std::string::npos ? 0 : name.find("://") + 3);
  // File names are public, so the user and password before the host are removed.
  if (const size_t at = name.substr(0, name.find('/')).rfind('@'); at != std::string::npos) name.erase(0, at + 1);
  for (char& c : name)
    if (!is_alphanumeric(c) && c != '.' && c != '-') c = '_';
  constexpr size_t kLongestName = 200;
  if (name.size() > kLongestName) name.erase(0, name.size() - kLongestName);
  return "/opt/kubernetes/downloads/" + name;
}

std::string newest_sysext_tag(const std::vector<std::string>& tags, std::string_view version, std::string_view arch) {
  const std::string suffix = fmt::format("-azlinux3-{}", arch);
  if (version.ends_with(suffix)) return std::string(version);
  std::string newest;
  for (const std::string& tag : tags) {
    if (!tag.starts_with(version) || !tag.ends_with(suffix) || tag.size() <= version.size() + suffix.size()) continue;
    if (version != "v" && std::string_view(".~-").find(tag[version.size()]) == std::string_view::npos) continue;
    if (newest.empty() || natural_order(tag, newest) > 0) newest = tag;
  }
  return newest;
}

}  // namespace sunup::render::node
