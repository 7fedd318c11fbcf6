// From configuration sources to everything one node needs to know. The same inputs give the same resolution, always.
//
//   Resolver resolver(settings, detected, image_provider);
//   auto node = resolver.resolve({&pool, &node_class, &claim, &instance_type});
//
// It goes in two strides: first the kind of node, which pool, class and size decide, then what the claim has to say.
// Who resolves many claims keeps the kinds (kind_cache.h) and pays for the first stride once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "fleet/detected.h"
#include "fleet/node_kind.h"
#include "fleet/resolution.h"

namespace sunup::fleet {

struct Request {
  const NodePool* pool = nullptr;  // may be null: a claim can stand alone
  const NodeClass* node_class = nullptr;
  const NodeClaim* claim = nullptr;
  const InstanceType* instance_type = nullptr;
};

class Resolver {
 public:
  Resolver(Settings settings, Detected detected, ImageProvider images);

  const Settings& settings() const { return settings_; }
  Bootstrap bootstrap() const { return bootstrap_; }
  // Overrides what provision-mode says; `where` names who does.
  void set_bootstrap(Bootstrap bootstrap, std::string_view where = "--bootstrap");

  Result<Resolution> resolve(const Request& request) const;
  // Why there is no image for a node of this size; empty when there is one, and when the reason is not the size.
  std::string why_no_image(const NodeClass& node_class, const InstanceType& type) const;

  // The two strides. Of the claim, the kind depends on the name of its pool alone.
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
  BootstrapVariables cluster_variables_;  // what is the same for every node of the cluster
  std::vector<std::string> identities_;
};

}  // namespace sunup::fleet
