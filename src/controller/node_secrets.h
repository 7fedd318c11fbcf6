// Hides the secrets of the config and of the command file at their fixed paths, for the verbs that do not take them as
// arguments.
//
//   NodeSecrets secrets(node);
//   secrets.hide();
//   ...              // a long wait, in which the files may appear or be replaced
//   secrets.hide();  // reads only files that have changed
#pragma once

#include <optional>

#include "controller/node.h"
#include "host/files.h"

namespace sunup::controller {

class NodeSecrets {
 public:
  explicit NodeSecrets(Node& node) : node_(node) {}

  // Hides the secrets of the files that exist and can be read. A secret stays hidden.
  void hide();

 private:
  bool hide_those_of_config();
  bool hide_those_of_command();

  Node& node_;
  // The files whose secrets are hidden, with their state before they were read.
  std::optional<host::FileInfo> config_;
  std::optional<host::FileInfo> command_;
};

}  // namespace sunup::controller
