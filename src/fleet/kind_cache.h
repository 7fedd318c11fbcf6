// Remembers kinds of nodes, for who resolves many claims: there are few kinds, and a kind is most of the work.
//
//   KindCache kinds;
//   auto kind = kinds.find(resolver, request);   // made by the resolver the first time
//
// A kind is known by the addresses of its pool, class and instance type, which must stay where they are, and by the
// name of the claim's pool, which need not be among those given. Past a fixed number all are forgotten: memory does not
// grow with the claims. A refusal is not remembered.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "base/result.h"
#include "fleet/resolver.h"

namespace sunup::fleet {

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

}  // namespace sunup::fleet
