// A file that native provisioning writes, as data: path, mode and content. The writer creates the file with that mode
// and renames it into place, so a file that contains a credential is never readable by others, not even for a moment.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "aksnodeconfig/v1/configuration.pb.h"

namespace sunup::render::node {

using Configuration = aksnodeconfig::v1::Configuration;

struct NodeFile {
  std::string path;  // absolute, on the node
  unsigned mode = 0644;
  std::string content;
  bool secret = false;  // the content contains a credential: it is never shown, and the mode is 0600
  // The content is derived from the file's current content, which other programs write too. It is derived again from
  // the current content when it is written (host/edit.h).
  bool edited = false;
};

using NodeFiles = std::vector<NodeFile>;

struct NodeLink {
  std::string path;
  std::string target;
};

inline NodeFile edited_file(std::string path, unsigned mode, std::string content, bool secret = false) {
  return {std::move(path), mode, std::move(content), secret, true};
}

inline NodeFile secret_file(std::string path, std::string content) {
  return {std::move(path), 0600, std::move(content), true, false};
}

inline void append(NodeFiles& files, NodeFiles more) {
  for (auto& file : more) files.push_back(std::move(file));
}

}  // namespace sunup::render::node
