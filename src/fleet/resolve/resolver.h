// Resolves configuration sources to all decisions about a node. The same inputs always give the same resolution.
//
//   Resolver resolver(settings, detected, image_provider);
//   auto node = resolver.resolve({&pool, &node_class, &claim, &instance_type});
//
// There are two steps: first the kind of node, which depends on pool, class and size, then the claim. Callers that
// resolve many claims cache the kinds (kind_cache.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "fleet/resolve/node_kind.h"
#include "fleet/resolve/resolution.h"
#include "fleet/sources/detected.h"

namespace sunup::fleet {

struct Request {
  const NodePool* pool = nullptr;  // may be null: a claim may have no pool
  const NodeClass* node_class = nullptr;
  const NodeClaim* claim = nullptr;
  const InstanceType* instance_type = nullptr;
};

class Resolver {
 public:
  Resolver(Settings settings, Detected detected, ImageProvider images);

  const Settings& settings() const { return settings_; }
  Bootstrap bootstrap() const { return bootstrap_; }
  // Overrides provision-mode; `where` names the source.
  void set_bootstrap(Bootstrap bootstrap, std::string_view where = "--bootstrap");

  Result<Resolution> resolve(const Request& request) const;
  // Why there is no image for this size; empty if there is one, or if the size is not the reason.
  std::string why_no_image(const NodeClass& node_class, const InstanceType& type) const;

  // The two steps. The kind depends only on the name of the claim's pool.
  Result<std::shared_ptr<const NodeKind>> kind(const Request& request) const;
  Result<Resolution> resolve(const Request& request, std::shared_ptr<const NodeKind> kind) const;

 private:
  ImageQuery image_query(const NodeClass& node_class, const InstanceType& type, std::string_view version) const;
  void warn_of_kind(Resolution& node) const;

  Settings settings_;
  Detected detected_;
  ImageProvider images_;
  Bootstrap bootstrap_;
  Value<std::string> bootstrap_name_;
  BootstrapVariables cluster_variables_;  // the same for every node of the cluster
  std::vector<std::string> identities_;
};

}  // namespace sunup::fleet
