// What a resolve works with: the pools, classes and instance types that were given, found by name; and the way of one
// claim through it, from a line of JSON to a launch template.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fleet/document.h"
#include "fleet/resolver.h"
#include "fleet/schema.h"

namespace sunup::fleet {

class Catalog {
 public:
  // Takes NodePools and AKSNodeClasses (and their older forms) out of the documents; anything else is a finding.
  void add(const std::vector<Document>& documents, Findings& findings);
  void add_instance_types(std::vector<InstanceType> types);

  const std::vector<InstanceType>& instance_types() const { return types_; }
  const std::map<std::string, NodePool>& pools() const { return pools_; }
  const std::map<std::string, NodeClass>& classes() const { return classes_; }

  // The pool and class a claim names; the only one there is when it names none.
  Result<Request> request_for(const NodeClaim& claim) const;
  // The claim to resolve when none is given: the only pool's own.
  Result<NodeClaim> default_claim() const;
  // The instance type of a claim: the one it names if that is known, else the first given that fits.
  Result<const InstanceType*> instance_type_for(const Resolver& resolver, const Request& request) const;

 private:
  std::map<std::string, NodePool> pools_;
  std::map<std::string, NodeClass> classes_;
  std::vector<InstanceType> types_;
  // Sizes of the built-in table that claims have asked for. Filled as they come; nodes keep pointing into it.
  mutable std::map<std::string, std::unique_ptr<InstanceType>, std::less<>> known_;
};

// One line of a batch: a NodeClaim as JSON gives its launch template as JSON, or {"error": ...} for a claim that
// cannot be resolved.
struct BatchLine {
  std::string json;
  bool ok = false;
};
BatchLine resolve_line(const Resolver& resolver, const Catalog& catalog, std::string_view line);

}  // namespace sunup::fleet
