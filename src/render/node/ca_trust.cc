#include "render/node/ca_trust.h"

#include <fmt/format.h>

#include "base/exit_code.h"
#include "render/node/decode.h"
#include "render/node/proxy.h"

namespace sunup::render::node {
namespace {

// All certificates of one set share a generation. A live update of the set uses a time stamp of the same length
// instead.
constexpr std::string_view kGeneration = "00000000000000";
constexpr std::string_view kPrefix = "aks-custom-";

bool has_proxy_ca(const Configuration& config) {
  return has_proxy(config) && !config.http_proxy_config().proxy_trusted_ca().empty();
}

Result<std::string> certificate(std::string_view value, const std::string& field) {
  auto decoded = decode_pem_field(value, field);
  if (!decoded) return std::move(decoded).error().with_code(exit_code::kUpdateCaCerts);
  return decoded;
}

}  // namespace

Result<NodeFiles> ca_trust_files(const Configuration& config, const NodeFacts& facts) {
  const DistroTraits& distro = traits(facts.distro);
  NodeFiles files;
  if (has_proxy_ca(config)) {
    auto text = certificate(config.http_proxy_config().proxy_trusted_ca(), "http_proxy_config.proxy_trusted_ca");
    if (!text) return text.error();
    files.push_back({fmt::format("{}/proxyCA.{}", distro.proxy_ca_folder, distro.ca_suffix), 0644, *std::move(text)});
  }
  for (int i = 0; i < config.custom_ca_certs_size(); ++i) {
    auto text = certificate(config.custom_ca_certs(i), fmt::format("custom_ca_certs[{}]", i));
    if (!text) return text.error();
    // A unit of the image watches the first path for updates; the bundle is built from the second.
    files.push_back({fmt::format("/opt/certs/{}cert{}.crt", kGeneration, i), 0644, *text});
    files.push_back(
        {fmt::format("{}/{}{}cert{}.{}", distro.custom_ca_folder, kPrefix, kGeneration, i, distro.ca_suffix), 0644,
         *std::move(text)});
  }
  return files;
}

std::vector<std::string> ca_update_command(const Configuration& config, const NodeFacts& facts) {
  if (!has_proxy_ca(config) && config.custom_ca_certs_size() == 0) return {};
  const DistroTraits& distro = traits(facts.distro);
  std::vector<std::string> command = {std::string(distro.ca_tool)};
  // Debian's tool only links new certificates; with -f it also removes links to certificates that no longer exist.
  if (distro.packages == PackageFormat::kDeb && config.custom_ca_certs_size() > 0) command.emplace_back("-f");
  return command;
}

std::vector<std::string> stale_custom_certificates(const std::vector<std::string>& names, const Configuration& config,
                                                   const NodeFacts&) {
  std::vector<std::string> stale;
  for (const std::string& name : names) {
    if (!name.starts_with(kPrefix)) continue;
    const std::string_view generation = std::string_view(name).substr(kPrefix.size(), kGeneration.size());
    const bool numbered =
        generation.size() == kGeneration.size() && generation.find_first_not_of("0123456789") == std::string_view::npos;
    if (!numbered) continue;
    if (config.custom_ca_certs_size() == 0 || generation != kGeneration) stale.push_back(name);
  }
  return stale;
}

}  // namespace sunup::render::node
