// What a resolve works with: the pools, classes and instance types that were given, found by name.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fleet/document.h"
#include "fleet/kind_cache.h"
#include "fleet/resolver.h"
#include "fleet/schema.h"

namespace sunup::fleet {

class Catalog {
 public:
  // Takes NodePools and AKSNodeClasses (and their older forms) out of the documents; anything else is a finding.
  void add(const std::vector<Document>& documents, Findings& findings);
  void add_instance_types(std::vector<InstanceType> types);

  // The claim to resolve when none is given: the only pool's own.
  Result<NodeClaim> default_claim() const;
  // The way from a claim to its node: its pool and class, an instance type that fits, everything decided. The
  // resolution points into this catalog. `kinds` keeps what claims to come may share with this one.
  Result<Resolution> resolve(const Resolver& resolver, const NodeClaim& claim, KindCache& kinds) const;
  Result<Resolution> resolve(const Resolver& resolver, const NodeClaim& claim) const;

 private:
  // The pool and class a claim names; the only one there is when it names none.
  Result<Request> request_for(const NodeClaim& claim) const;
  // The instance type of a claim: the one it names if that is known, else the first given that fits.
  Result<const InstanceType*> instance_type_for(const Request& request, const Resolver& resolver) const;

  // The built-in size of this name; null when there is none.
  const InstanceType* known_size(const std::string& name) const;
  // True when an object of this kind and name is there already; refused unless it is the same once more, as a file is
  // that was given twice.
  bool seen_before(const Document& doc, std::string_view kind, Findings& findings);

  std::map<std::string, nlohmann::json> objects_;  // by kind and name, as they were given
  std::map<std::string, NodePool> pools_;
  std::map<std::string, NodeClass> classes_;
  std::vector<InstanceType> types_;
  // Sizes of the built-in table that claims have asked for. Filled as they come; nodes keep pointing into it.
  mutable std::map<std::string, std::unique_ptr<InstanceType>, std::less<>> known_;
};

}  // namespace sunup::fleet
