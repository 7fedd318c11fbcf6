#include "fleet/resolve/downloads.h"

#include <fmt/format.h>

#include "base/version.h"

namespace sunup::fleet {
namespace {

std::string credential_provider_url(uint64_t minor, std::string_view arch) {
  if (minor < 30) return "";
  const std::string_view version = minor == 30 ? "1.30.12" : minor == 31 ? "1.31.6" : minor == 32 ? "1.32.5" : "1.33.0";
  return fmt::format(
      "https://acs-mirror.azureedge.net/cloud-provider-azure/v{0}/binaries/"
      "azure-acr-credential-provider-linux-{1}-v{0}.tar.gz",
      version, arch);
}

}  // namespace

Downloads downloads(std::string_view kubernetes_version, std::string_view arch) {
  const uint64_t minor = Version::parse(kubernetes_version)->minor;
  Downloads urls;
  if (minor < 34)  // from 1.34 on the archive is not published: images contain the binaries
    urls.kubernetes =
        fmt::format("https://acs-mirror.azureedge.net/kubernetes/v{}/binaries/kubernetes-node-linux-{}.tar.gz",
                    kubernetes_version, arch);
  urls.credential_provider = credential_provider_url(minor, arch);
  urls.azure_cni = fmt::format(
      "https://acs-mirror.azureedge.net/azure-cni/v1.4.32/binaries/azure-vnet-cni-linux-{}-v1.4.32.tgz", arch);
  urls.cni_plugins =
      fmt::format("https://acs-mirror.azureedge.net/cni-plugins/v1.1.1/binaries/cni-plugins-linux-{}-v1.1.1.tgz", arch);
  return urls;
}

}  // namespace sunup::fleet
