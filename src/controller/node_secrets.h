// Hides the secrets of the config and of the command file at their fixed places, for the verbs that are given neither.
//
//   NodeSecrets secrets(node);
//   secrets.hide();
//   ...              // a long wait: the files may have come meanwhile, or others in their place
//   secrets.hide();  // somebody is waiting now: what is as it was is not read again
#pragma once

#include <optional>

#include "controller/node.h"
#include "host/files.h"

namespace sunup::controller {

class NodeSecrets {
 public:
  explicit NodeSecrets(Node& node) : node_(node) {}

  // Of what is there and can be read. What it found once stays hidden.
  void hide();

 private:
  bool hide_those_of_config();
  bool hide_those_of_command();

  Node& node_;
  // The files whose secrets are hidden, as they were before they were read.
  std::optional<host::FileInfo> config_;
  std::optional<host::FileInfo> command_;
};

}  // namespace sunup::controller
