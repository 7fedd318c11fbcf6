// Resolves many claims: reads a NodeClaim as a line of JSON and prints its launch template as a line.
//
// Three memos of fixed size are used, so memory does not grow with the batch:
// - kinds of nodes (KindCache): everything that pool, class and size decide, and the part of the bootstrap data that
//   nodes of a kind share. Claims that differ in labels, taints, zones or requests share a kind.
// - nodes: the claims of a pool that scales up differ only in their names, and only the name of the node depends on it.
//   A node is kept when its claim is seen a second time, so that claims that are not repeated do not displace others.
// The memos do not change the output: a batch prints the same as single resolves.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "fleet/launch/launch_template.h"
#include "fleet/resolve/catalog.h"
#include "fleet/resolve/resolver.h"

namespace sunup::fleet {

class Batch {
 public:
  // Resolver and catalog must outlive the batch. `results` is where the nodes send their results; empty: nowhere.
  Batch(const Resolver& resolver, const Catalog& catalog, std::optional<render::ResultService> results = {})
      : resolver_(resolver), catalog_(catalog), results_(std::move(results)) {}

  // Appends a launch template to `out`, or {"line": ..., "nodeClaim": ..., "error": ...}, and returns which. `number`
  // is the line number in the file; 0 if there is none.
  bool resolve(std::string_view line, std::string& out, size_t number = 0);

  static constexpr size_t kRemembered = 1024;
  size_t remembered() const { return made_.size(); }

 private:
  struct Made {
    Resolution node;
    LaunchTemplate launch;
  };
  Result<Made> make(const Document& doc);
  const KindLaunch& launch_of(const std::shared_ptr<const NodeKind>& kind);

  const Resolver& resolver_;
  const Catalog& catalog_;
  const std::optional<render::ResultService> results_;
  KindCache kinds_;
  std::unordered_map<std::shared_ptr<const NodeKind>, KindLaunch> launches_;
  std::unordered_map<std::string, Made> made_;  // by the claim without its name
  std::unordered_set<size_t> seen_;             // hashes of claims that were seen once; a collision is harmless
  static constexpr size_t kSeen = 16u << 10;
};

}  // namespace sunup::fleet
