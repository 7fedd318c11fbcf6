// Many claims, one after the other: a NodeClaim as one line of JSON in, its launch template as one line out.
//
// Claims of a pool differ in little more than their names, and nothing but the name itself depends on the name. So the
// rest of a template is remembered by the rest of the claim, up to a fixed number of them: memory does not grow with
// the batch.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "fleet/catalog.h"
#include "fleet/resolver.h"

namespace sunup::fleet {

class Batch {
 public:
  // Both must outlive the batch.
  Batch(const Resolver& resolver, const Catalog& catalog) : resolver_(resolver), catalog_(catalog) {}

  // Appends a launch template to `out`, or {"line": ..., "nodeClaim": ..., "error": ...}, and says which. `number` is
  // the line's in its file; 0 when it has none.
  bool resolve(std::string_view line, std::string& out, size_t number = 0);

  static constexpr size_t kRemembered = 1024;
  size_t remembered() const { return tails_.size(); }

 private:
  Result<std::string> make_tail(const Document& doc);

  const Resolver& resolver_;
  const Catalog& catalog_;
  KindCache kinds_;
  std::unordered_map<std::string, std::string> tails_;
};

}  // namespace sunup::fleet
