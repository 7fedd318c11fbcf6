#include "controller/log_upload.h"

#include "base/node_paths.h"

namespace sunup::controller {

host::Task<void> upload_logs(Node& node) {
  const auto script = node.files.info(paths::kLogCollector);
  if (!node.root.empty() || !script || (script->mode & 0111) == 0) co_return;
  host::Command collect = host::command(paths::kLogCollector).with_limit(std::chrono::minutes(2));
  collect.background = true;
  const auto exit = co_await node.processes.run(std::move(collect));
  if (!exit || !exit->ok()) {
    const std::string why = exit ? exit->as_error("the log collector").what : exit.error().what;
    node.log.warn("cannot upload the logs", {{"error", why}});
  }
  if (!exit) co_return;
  const std::string said = node.redactor.redact(exit->out + exit->err);
  if (auto kept = node.files.write(paths::kLogCollectorOutput, said, 0644 & ~node.umask); !kept)
    node.log.warn("cannot store the output of the log collector", {{"error", kept.error().what}});
}

}  // namespace sunup::controller
