// The pools, classes and instance types that were given, by name.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "fleet/resolve/resolver.h"
#include "fleet/sources/crd_rules.h"
#include "fleet/sources/document.h"

namespace sunup::fleet {

// Remembers node kinds: there are few kinds, and computing a kind is most of the work of resolving many claims. The key
// of a kind consists of the addresses of its pool, class and instance type, which must not change, and the name of the
// claim's pool, which may be unknown. The cache is cleared when it reaches a fixed size, so memory does not grow with
// the claims. Errors are not cached.
class KindCache {
 public:
  Result<std::shared_ptr<const NodeKind>> find(const Resolver& resolver, const Request& request) {
    Key key(request.pool, request.node_class, request.instance_type, request.claim->pool);
    if (const auto known = kinds_.find(key); known != kinds_.end()) return known->second;
    auto made = resolver.kind(request);
    if (!made) return made;
    if (kinds_.size() >= kRemembered) kinds_.clear();
    return kinds_.emplace(std::move(key), *std::move(made)).first->second;
  }

  static constexpr size_t kRemembered = 512;
  size_t remembered() const { return kinds_.size(); }

 private:
  using Key = std::tuple<const NodePool*, const NodeClass*, const InstanceType*, std::string>;
  std::map<Key, std::shared_ptr<const NodeKind>> kinds_;
};

class Catalog {
 public:
  // Reads NodePools and AKSNodeClasses (and their older forms) from the documents; anything else is a finding.
  void add(const std::vector<Document>& documents, Findings& findings);
  void add_instance_types(std::vector<InstanceType> types);

  // The claim to resolve if none is given: that of the only pool.
  Result<NodeClaim> default_claim() const;
  // Resolves a claim: its pool and class, a suitable instance type, and all decisions. The resolution points into this
  // catalog. `kinds` caches what later claims may share with this one.
  Result<Resolution> resolve(const Resolver& resolver, const NodeClaim& claim, KindCache& kinds) const;
  Result<Resolution> resolve(const Resolver& resolver, const NodeClaim& claim) const;

 private:
  // The pool and class that a claim names; the only one if it names none.
  Result<Request> request_for(const NodeClaim& claim) const;
  // The instance type of a claim: the one that it names if known, otherwise the first given one that fits.
  Result<const InstanceType*> instance_type_for(const Request& request, const Resolver& resolver) const;

  // The built-in size of this name; null if there is none.
  const InstanceType* known_size(const std::string& name) const;
  // True if an object of this kind and name already exists; refused unless it is identical, as in a file that was given
  // twice.
  bool seen_before(const Document& doc, std::string_view kind, Findings& findings);

  std::map<std::string, nlohmann::json> objects_;  // by kind and name, as given
  std::map<std::string, NodePool> pools_;
  std::map<std::string, NodeClass> classes_;
  std::vector<InstanceType> types_;
  // Sizes of the built-in table that claims have requested. Filled on demand; nodes point into it.
  mutable std::map<std::string, std::unique_ptr<InstanceType>, std::less<>> known_;
};

}  // namespace sunup::fleet
