// Finds the result of a node in the output of the platform (extension text, instance view JSON, provision.json).
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
  std::optional<int> exit_code;  // empty: truncated or not a number
  std::string name;              // ERR_...
  std::string step;
  std::string meaning;  // of the exit code
  std::string remedy;
  bool retry_may_help = false;
  bool in_progress = false;  // according to the extension, its command has not ended
  std::string error;         // as the node wrote it
  std::string output;        // the end of the output of provisioning

  bool succeeded() const { return exit_code == 0; }
};

// One for each node in the text; empty if there is none.
std::vector<NodeStatus> parse_status(std::string_view text);

}  // namespace sunup
