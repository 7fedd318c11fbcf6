#include "render/boothook.h"

#include <fmt/format.h>

#include <optional>

#include "base/base64.h"
#include "base/node_paths.h"
#include "render/node_files.h"

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

constexpr std::string_view kHereDocument = " <<'EOF'\n";

// A here-document ends with a newline.
std::string put_text(std::string_view path, std::string_view content) {
  return fmt::format("put_text {} <<'EOF'\n{}{}EOF\n", path, content, content.ends_with('\n') ? "" : "\n");
}

std::optional<std::string_view> here_document(std::string_view script, std::string_view command) {
  const std::string start = fmt::format("{}{}", command, kHereDocument);
  const size_t at = script.find(start);
  if (at == std::string_view::npos) return std::nullopt;
  const size_t text = at + start.size();
  const size_t end = script.find("\nEOF\n", text);
  if (end == std::string_view::npos) return std::nullopt;
  return script.substr(text, end - text);
}

std::optional<std::string> payload(std::string_view script, std::string_view path) {
  if (const auto text = here_document(script, fmt::format("put_text {}", path))) return std::string(*text) + "\n";
  const auto packed = here_document(script, fmt::format("put {}", path));
  return packed ? base64_decode(*packed) : std::nullopt;
}

std::vector<HookFile> hooks_in(std::string_view script) {
  std::vector<HookFile> hooks;
  const std::string start = fmt::format("put {}/", paths::kHooks);
  for (size_t at = script.find(start); at != script.npos; at = script.find(start, at + 1)) {
    const std::string_view rest = script.substr(at + 4);
    const std::string_view path = rest.substr(0, rest.find(kHereDocument));
    const std::string_view name = hook_name_in(path);
    if (name.empty()) continue;
    if (auto text = payload(script.substr(at), path)) hooks.push_back({std::string(name), *std::move(text)});
  }
  return hooks;
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

std::optional<NodeFiles> read_boothook(std::string_view script) {
  auto config = payload(script, paths::kNodeConfig);
  if (!config) return std::nullopt;
  return NodeFiles{*std::move(config), payload(script, paths::kFeatures).value_or(""),
                   payload(script, paths::kResultService).value_or(""), hooks_in(script)};
}

}  // namespace sunup::render
