// A cache of node kinds for resolving many claims: there are few kinds, and computing a kind is most of the work.
//
//   KindCache kinds;
//   auto kind = kinds.find(resolver, request);   // computed by the resolver the first time
//
// The key of a kind consists of the addresses of its pool, class and instance type, which must not change, and the name
// of the claim's pool, which may be unknown. The cache is cleared when it reaches a fixed size, so memory does not grow
// with the claims. Errors are not cached.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "base/result.h"
#include "fleet/resolve/resolver.h"

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
