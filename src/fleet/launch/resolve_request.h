// One request to resolve a node, for the command line and for the service: read the sources, report their problems,
// then resolve.
//
//   auto sources = read_sources(documents);              // every finding at once
//   if (sources->refused()) ...
//   Resolver resolver = make_resolver(sources->settings, detected, versions, bootstrap);
//   auto node = resolve_request(*sources, resolver);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fleet/resolve/catalog.h"
#include "fleet/resolve/resolver.h"
#include "fleet/sources/document.h"
#include "fleet/sources/image_versions.h"
#include "fleet/sources/settings.h"

namespace sunup::fleet {

struct SourceDocuments {
  std::vector<Document> settings = {};
  Environment environment = {};
  std::string cluster_url = {};          // the API server to query; also the endpoint, unless the settings have one
  std::vector<Document> objects = {};    // node pools and node classes
  std::vector<InstanceType> sizes = {};  // given by name
  std::vector<Document> instance_types = {};
  std::optional<Document> claim = {};
};

// The documents, read and checked.
struct ResolveSources {
  Settings settings;
  Catalog catalog;
  std::optional<NodeClaim> claim;
  Findings findings;        // about everything but the claim
  Findings claim_findings;  // their warnings are part of the launch template

  bool refused() const { return has_errors(findings) || has_errors(claim_findings); }
};
Result<ResolveSources> read_sources(const SourceDocuments& documents);

// An override of provision-mode, and its source.
struct BootstrapChoice {
  Bootstrap bootstrap;
  std::string_view where;
};
Resolver make_resolver(const Settings& settings, const Detected& detected, const ImageVersions& versions,
                       const std::optional<BootstrapChoice>& bootstrap);

// Resolves the claim, or the default claim of the only pool. The sources and the resolver must outlive the result.
Result<Resolution> resolve_request(const ResolveSources& sources, const Resolver& resolver);

}  // namespace sunup::fleet
