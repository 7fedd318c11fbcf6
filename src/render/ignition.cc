#include "render/node_files.h"

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/node_paths.h"
#include "base/url.h"
#include "render/gzip.h"

namespace sunup::render {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kDataUrl = "data:;base64,";
constexpr std::string_view kPlainDataUrl = "data:,";
constexpr int kOwnerOnly = 0600;

// The image may have a unit of the same name: then this one replaces it, so that the controller is started only once.
// The config is on disk before systemd runs, so the unit only waits for the network and, if the program is part of a
// system extension, for the link that systemd-tmpfiles creates. On an image with the original's launcher, the launcher
// is started.
constexpr std::string_view kUnit = R"([Unit]
Description=Provision this node
DefaultDependencies=no
ConditionPathExists=/opt/azure/containers/aks-node-controller-config.json
ConditionPathExists=|!/opt/azure/containers/provision.complete
ConditionPathExists=|/opt/azure/containers/.provision.unfinished
RequiresMountsFor=/opt/azure/containers /var/log/azure
Wants=network-online.target
After=network-online.target systemd-tmpfiles-setup.service
Conflicts=shutdown.target
Before=shutdown.target
StartLimitIntervalSec=5min
StartLimitBurst=10

[Service]
Type=oneshot
RemainAfterExit=yes
TimeoutStartSec=infinity
Restart=on-abnormal
RestartSec=1
ExecStart=/bin/sh -c 'if [ -f /opt/azure/containers/aks-node-controller-launcher.sh ]; then [ ! -e /var/log/azure/aks/provision.json -o -e /opt/azure/containers/base_prep.complete -o -e /opt/azure/containers/.provision.unfinished ] || exit 0; exec /bin/bash /opt/azure/containers/aks-node-controller-launcher.sh; fi; exec /opt/azure/containers/aks-node-controller launch'

[Install]
WantedBy=multi-user.target
)";

ordered_json file(std::string_view path, std::string_view content, bool compressed) {
  ordered_json contents;
  if (compressed) contents["compression"] = "gzip";
  contents["source"] = std::string(kDataUrl) + base64_encode(compressed ? gzip(content) : std::string(content));
  return {{"path", path}, {"overwrite", true}, {"mode", kOwnerOnly}, {"contents", std::move(contents)}};
}

// Percent-encodes everything but `plain`.
std::string encoded_around(std::string_view text, std::string_view plain) {
  std::string out;
  for (size_t at = text.find(plain); at != text.npos; at = text.find(plain)) {
    out += percent_encoded(text.substr(0, at)).append(plain);
    text.remove_prefix(at + plain.size());
  }
  return out + percent_encoded(text);
}

}  // namespace

std::string ignition_config(const NodeFiles& files, bool compressed, std::string_view plain) {
  ordered_json entries = ordered_json::array();
  for (const HookFile& hook : files.hooks) entries.push_back(file(hook_path(hook.name), hook.text, compressed));
  if (!files.results.empty()) entries.push_back(file(paths::kResultService, files.results, compressed));
  entries.push_back(file(paths::kNodeConfig, files.config_json, compressed));
  if (!plain.empty())
    entries.back()["contents"] = {{"source", std::string(kPlainDataUrl) + encoded_around(files.config_json, plain)}};
  if (!files.features.empty()) entries.push_back(file(paths::kFeatures, files.features, compressed));
  ordered_json document;
  document["ignition"] = {{"version", "3.3.0"}};
  document["storage"]["files"] = std::move(entries);
  document["systemd"]["units"] = {{{"name", "aks-node-controller.service"}, {"enabled", true}, {"contents", kUnit}}};
  return document.dump();
}

}  // namespace sunup::render
