#include "controller/unit_evidence.h"

#include "base/node_paths.h"

namespace sunup::controller {
namespace {

using namespace std::chrono_literals;

// "containerd.service" becomes "containerd", its common name; other kinds of units keep their suffix.
std::string place_of(std::string unit) {
  constexpr std::string_view kService = ".service";
  if (unit.ends_with(kService)) unit.resize(unit.size() - kService.size());
  return std::string(paths::kLogDirectory) + "/" + unit + "-status.log";
}

}  // namespace

host::Task<void> keep_unit_evidence(Node& node, std::vector<std::string> units) {
  for (const std::string& unit : units) {
    host::Command command = host::command("systemctl", "status", "--no-pager", "--full", "--lines=100", unit);
    command.limit = 10s;
    auto said = co_await node.host.processes.run(std::move(command));
    if (!said) {
      node.log.warn("cannot read the unit's status", {{"unit", unit}, {"error", said.error().what}});
      continue;
    }
    const std::string text = node.redactor.redact(said->out + said->err);
    if (auto kept = node.files.write(place_of(unit), text, 0644 & ~node.umask); !kept)
      node.log.warn("cannot store the unit's status", {{"unit", unit}, {"error", kept.error().what}});
  }
}

}  // namespace sunup::controller
