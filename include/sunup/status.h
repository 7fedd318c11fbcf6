// What became of a node: found in whatever the platform returned (extension text, instance view JSON, provision.json).
//
//   for (const sunup::NodeStatus& node : sunup::parse_status(text))
//     if (!node.succeeded() && !node.in_progress) alert(node.source, node.meaning, node.remedy);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sunup {

struct NodeStatus {
  std::string source;            // "instance 3, extension vmssCSE"; empty: the text itself
  std::optional<int> exit_code;  // nothing: it was cut off or is no number
  std::string name;              // ERR_...
  std::string step;
  std::string meaning;  // of the exit code
  std::string remedy;
  bool retry_may_help = false;
  bool in_progress = false;  // so says the extension; its command has not ended
  std::string error;         // the node's own words
  std::string output;        // the end of what provisioning printed

  bool succeeded() const { return exit_code == 0; }
};

// One for each node that the text speaks of; empty when there is none in it.
std::vector<NodeStatus> parse_status(std::string_view text);

}  // namespace sunup
