#include "fleet/launch/resolve_request.h"

#include "fleet/launch/node_config.h"

namespace sunup::fleet {

Result<ResolveSources> read_sources(const SourceDocuments& documents) {
  ResolveSources sources;
  sources.settings = read_settings(documents.settings, documents.environment, sources.findings);
  if (!documents.cluster_url.empty())
    sources.settings.at(Option::kClusterEndpoint).offer(Source::kDetected, "--cluster", documents.cluster_url);
  check_settings(sources.settings, sources.findings);
  sources.catalog.add(documents.objects, sources.findings);
  sources.catalog.add_instance_types(documents.sizes);
  for (const Document& doc : documents.instance_types) {
    check_instance_types(doc, sources.findings);
    if (has_errors(sources.findings)) break;
    auto types = read_instance_types(doc);
    if (!types) return std::move(types).error();
    sources.catalog.add_instance_types(*std::move(types));
  }
  if (documents.claim) sources.claim = read_node_claim(*documents.claim, sources.claim_findings);
  return sources;
}

Resolver make_resolver(const Settings& settings, const Detected& detected, const ImageVersions& versions,
                       const std::optional<BootstrapChoice>& bootstrap) {
  Resolver resolver(settings, detected, ImageProvider(versions), refuse_node_config);
  if (bootstrap) resolver.set_bootstrap(bootstrap->bootstrap, bootstrap->where);
  return resolver;
}

Result<Resolution> resolve_request(const ResolveSources& sources, const Resolver& resolver) {
  std::optional<NodeClaim> claim = sources.claim;
  if (!claim) {
    auto made = sources.catalog.default_claim();
    if (!made) return std::move(made).error();
    claim = *std::move(made);
  }
  return sources.catalog.resolve(resolver, *claim);
}

}  // namespace sunup::fleet
