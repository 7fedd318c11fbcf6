#include <sunup/status.h>

#include "report/exit_codes.h"
#include "report/status.h"

namespace sunup {

std::vector<NodeStatus> parse_status(std::string_view text) {
  std::vector<NodeStatus> nodes;
  report::StatusReport report = report::find_statuses(text);
  for (report::CseStatus& found : report.statuses) {
    NodeStatus node;
    node.source = std::move(found.source);
    node.exit_code = found.exit_code;
    node.in_progress = found.in_progress;
    node.step = std::move(found.result.failed_step);
    node.error = std::move(found.result.error);
    node.output = std::move(found.result.output);
    if (const report::ExitCode* code = found.exit_code ? report::find_exit_code(*found.exit_code) : nullptr) {
      node.name = code->name;
      if (node.step.empty()) node.step = code->step;
      node.meaning = code->meaning;
      node.remedy = code->remedy;
      node.retry_may_help = code->retry_may_help;
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

}  // namespace sunup
