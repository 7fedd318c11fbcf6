// Resolves many claims: reads a NodeClaim as a line of JSON and prints its launch template as a line.
//
// Two caches of fixed size are used, so memory does not grow with the batch:
//   - kinds of nodes (kind_cache.h): all that pool, class and size decide, with the texts made of it. Claims that
//     differ in labels, taints, zones or requests share a kind; what they say themselves is filled into its texts.
//   - whole templates: claims of a pool that scales up differ in nothing but their names, and nothing but the name
//     itself depends on the name, so the rest of a template is known by the rest of the claim. Kept from the second
//     time on that such a claim comes, so that claims that never come again do not crowd out those that do.
// The caches do not change the output: a batch prints the same as single resolves.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "fleet/resolve/catalog.h"
#include "fleet/resolve/resolver.h"

namespace sunup::fleet {

class Batch {
 public:
  // Both must outlive the batch.
  Batch(const Resolver& resolver, const Catalog& catalog) : resolver_(resolver), catalog_(catalog) {}

  // Appends a launch template to `out`, or {"line": ..., "nodeClaim": ..., "error": ...}, and returns which. `number`
  // is the line number in the file; 0 if there is none.
  bool resolve(std::string_view line, std::string& out, size_t number = 0);

  static constexpr size_t kRemembered = 1024;
  size_t remembered() const { return tails_.size(); }

 private:
  Result<std::string> make_tail(const Document& doc);

  const Resolver& resolver_;
  const Catalog& catalog_;
  KindCache kinds_;
  std::unordered_map<std::string, std::string> tails_;  // never one for a claim whose name is refused
  std::unordered_set<size_t> seen_;                     // hashes of claims that were seen once; a collision is harmless
  static constexpr size_t kSeen = 16u << 10;
};

}  // namespace sunup::fleet
