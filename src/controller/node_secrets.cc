#include "controller/node_secrets.h"

#include "base/node_paths.h"
#include "controller/load_config.h"
#include "controller/nbc_command.h"

namespace sunup::controller {
namespace {

// Whether any later write gives the file another modification time. Some file systems store times in units of one or
// two seconds.
bool any_change_would_show(const host::FileInfo& info, report::WallTime now) {
  constexpr int64_t kSecond = 1'000'000'000;
  const int64_t tick = info.changed_ns % kSecond == 0 ? 2 * kSecond : host::kFileTimeTickNs;
  return info.changed_ns + tick < now;
}

}  // namespace

void NodeSecrets::hide() {
  const auto look_at = [this](const char* path, std::optional<host::FileInfo>& known, auto hide_those) {
    // Read before the content, so that a concurrent write is noticed at the next call.
    const auto info = node_.files.info(path);
    if (!info || known == *info) return;
    const bool to_be_remembered = any_change_would_show(*info, node_.now());
    known.reset();
    if (hide_those() && to_be_remembered) known = *info;
  };
  look_at(paths::kNodeConfig, config_, [this] { return hide_those_of_config(); });
  look_at(paths::kNbcCommand, command_, [this] { return hide_those_of_command(); });
}

bool NodeSecrets::hide_those_of_config() {
  return load_config(node_, node_.on_machine(paths::kNodeConfig), true).ok();
}

bool NodeSecrets::hide_those_of_command() {
  const auto text = node_.files.read(paths::kNbcCommand);
  if (!text) return false;
  keep_secrets_of_nbc(node_, *text);
  return true;
}

}  // namespace sunup::controller
