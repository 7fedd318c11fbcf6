// Resolves configuration sources to all decisions about a node. The same inputs always give the same resolution.
//
//   Resolver resolver(settings, detected, image_provider, refuse_node_config);
//   auto node = resolver.resolve({&pool, &node_class, &claim, &instance_type});
//
// There are two steps: first the kind of node, which depends on pool, class and size, then the claim. Callers that
// resolve many claims cache the kinds (KindCache).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "base/result.h"
#include "fleet/resolve/resolution.h"
#include "fleet/sources/settings.h"

namespace sunup::fleet {

struct Request {
  const NodePool* pool = nullptr;  // may be null: a claim may have no pool
  const NodeClass* node_class = nullptr;
  const NodeClaim* claim = nullptr;
  const InstanceType* instance_type = nullptr;
};

// A last check of each kind by the code that renders it, which knows what nodes accept: returns why no node of the kind
// can work, and adds warnings to the findings. Null: no check.
using KindCheck = std::optional<Error> (*)(const NodeKind& kind, Findings& findings);

class Resolver {
 public:
  Resolver(Settings settings, Detected detected, ImageProvider images, KindCheck check);

  const Settings& settings() const { return settings_; }
  // Overrides provision-mode; `where` names the source.
  void set_bootstrap(Bootstrap bootstrap, std::string_view where = "--bootstrap");
  // When the search for an instance type is given up.
  void set_deadline(const Deadline& deadline) { deadline_ = deadline; }
  const Deadline& deadline() const { return deadline_; }

  Result<Resolution> resolve(const Request& request) const;
  // Why there is no image for this size; empty if there is one, or if the size is not the reason.
  std::string why_no_image(const NodeClass& node_class, const InstanceType& type) const;

  // The two steps. The kind depends only on the name of the claim's pool.
  Result<std::shared_ptr<const NodeKind>> kind(const Request& request) const;
  Result<Resolution> resolve(const Request& request, std::shared_ptr<const NodeKind> kind) const;

 private:
  ImageQuery image_query(const NodeClass& node_class, const InstanceType& type, std::string_view version) const;
  void decide_network_and_disk(NodeKind& kind) const;
  std::optional<Error> decide_flags(NodeKind& kind) const;
  std::optional<Error> decide_labels_and_tags(NodeKind& kind) const;

  Settings settings_;
  Detected detected_;
  ImageProvider images_;
  KindCheck check_;
  Bootstrap bootstrap_;
  Value<std::string> bootstrap_name_;
  Cluster cluster_;
  std::vector<std::string> identities_;
  Deadline deadline_;
};

}  // namespace sunup::fleet
