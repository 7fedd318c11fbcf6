// The AKSNodeConfig of a resolved node: the same decisions as the bootstrapping variables, for the generation of images
// that reads a config file instead of variables. It also contains settings that have no variable: local DNS, kernel
// settings, swap, artifact streaming.
#pragma once

#include <string>

#include "contract/load.h"
#include "fleet/resolve/resolver.h"

namespace sunup::fleet {

contract::Configuration node_config(const Resolution& node);

// The text for nodes of one kind: only kubelet's flags and labels differ between them, so the rest is rendered once.
//
//   NodeConfigFrame frame(kind);
//   frame.fill(node) == contract::to_json(node_config(node))
class NodeConfigFrame {
 public:
  explicit NodeConfigFrame(const Resolution& kind);
  std::string fill(const Resolution& node) const;

 private:
  std::string before_;  // empty: the layout is unknown, and every text is rendered completely
  std::string after_;
};

}  // namespace sunup::fleet
