#include "render/node_files.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/node_paths.h"

namespace sunup::render {
namespace {

// cloud-init runs boothooks at every boot, so the script exits immediately if this node's provisioning has ended and no
// deferred steps are left. An interrupted provisioning is resumed. The marker or the result shows the end, because
// scripts may stop writing the marker. The result of the preparation of an image (base_prep.complete) is not that of
// this node.
//
// Files are created with mode 0600 and appear atomically, so a trigger that watches the path never reads an incomplete
// config.
constexpr std::string_view kHead = R"(#cloud-boothook
#!/bin/sh
set -eu
d=/opt/azure/containers
if [ -e $d/provision.complete ] || [ -e /var/log/azure/aks/provision.json -a ! -e $d/base_prep.complete ]; then
  [ -e $d/.provision.unfinished ] || exit 0
fi
umask 022
mkdir -p $d /var/log/azure
put() {
  (umask 077; rm -f "$1.new"; base64 -d >"$1.new")
  mv -f "$1.new" "$1"
}
)";

// For a text that is literally part of the script.
constexpr std::string_view kPutText = R"(put_text() {
  (umask 077; rm -f "$1.new"; cat >"$1.new")
  mv -f "$1.new" "$1"
}
)";

// The controller is started without waiting for the rest of the boot. An ordinary start would be queued behind all
// units that this unit is ordered after, which costs seconds (cloud-init itself is ordered before
// network-online.target). Their results are already available: local disks and the network are up when a boothook runs.
// The start goes through systemd, so that a concurrent start by the boot or by the path unit is the same job.
//
// Images with the original's launcher have no unit that can be used like this; there the launcher is run in the
// background, as their own custom data does it. If systemd fails, the program is run in the background as well.
constexpr std::string_view kTail = R"(u=aks-node-controller
if [ -f $d/$u-launcher.sh ]; then
  [ ! -f $d/provision_preload.sh ] || nohup /bin/bash $d/provision_preload.sh </dev/null >/dev/null 2>&1 &
  nohup /bin/bash $d/$u-launcher.sh </dev/null >/var/log/azure/$u.output 2>&1 &
elif ! systemctl start --no-block --job-mode=ignore-dependencies $u.service; then
  nohup $d/$u launch </dev/null >/var/log/azure/$u.output 2>&1 &
fi
logger -t aks-boothook "config in place, controller start requested" || true
)";

std::string put(std::string_view path, std::string_view content) {
  return fmt::format("put {} <<'EOF'\n{}\nEOF\n", path, base64_encode(content));
}

// A here-document ends with a newline.
std::string put_text(std::string_view path, std::string_view content) {
  return fmt::format("put_text {} <<'EOF'\n{}{}EOF\n", path, content, content.ends_with('\n') ? "" : "\n");
}

}  // namespace

std::string boothook(const NodeFiles& files, bool readable) {
  std::string script(kHead);
  if (readable) script += kPutText;
  // The config is written last, because the controller may start as soon as it exists.
  if (!files.hooks.empty()) script += fmt::format("mkdir -p {}\n", paths::kHooks);
  for (const HookFile& hook : files.hooks) script += put(hook_path(hook.name), hook.text);
  if (!files.features.empty()) script += put(paths::kFeatures, files.features);
  if (!files.results.empty()) script += put(paths::kResultService, files.results);
  script += readable ? put_text(paths::kNodeConfig, files.config_json) : put(paths::kNodeConfig, files.config_json);
  script += kTail;
  return script;
}

}  // namespace sunup::render
