#include "render/ignition.h"

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/node_paths.h"
#include "base/url.h"
#include "render/gzip.h"

namespace sunup::render {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view kDataUrl = "data:;base64,";
constexpr std::string_view kPlainDataUrl = "data:,";
constexpr int kOwnerOnly = 0600;
constexpr size_t kMaxFile = 16u << 20;

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

std::optional<std::string> content_of(const json& entry) {
  const json& contents = entry.at("contents");
  const auto source = contents.at("source").get<std::string>();
  if (source.starts_with(kPlainDataUrl)) return percent_decoded(std::string_view(source).substr(kPlainDataUrl.size()));
  if (!source.starts_with(kDataUrl)) return std::nullopt;
  auto bytes = base64_decode(std::string_view(source).substr(kDataUrl.size()));
  if (!bytes || !contents.contains("compression")) return bytes;
  const Result<std::string> text = gunzip(*bytes, kMaxFile);
  return text ? std::optional(*text) : std::nullopt;
}

std::optional<std::string> content_of(const json& document, std::string_view path) {
  for (const json& entry : document.at("storage").at("files"))
    if (entry.at("path").get<std::string>() == path) return content_of(entry);
  return std::nullopt;
}

std::vector<HookFile> hooks_in(const json& document) {
  std::vector<HookFile> hooks;
  for (const json& entry : document.at("storage").at("files")) {
    const auto path = entry.at("path").get<std::string>();
    const std::string_view name = hook_name_in(path);
    if (name.empty()) continue;
    if (auto content = content_of(entry)) hooks.push_back({std::string(name), *std::move(content)});
  }
  return hooks;
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

std::optional<NodeFiles> read_ignition_config(std::string_view text) {
  // The library throws if a member is missing or has another type; then it is another document.
  try {
    // Not ordered_json, which compares each name with all names before it.
    const json document = json::parse(text);
    auto config = content_of(document, paths::kNodeConfig);
    if (!config) return std::nullopt;
    return NodeFiles{*std::move(config), content_of(document, paths::kFeatures).value_or(""),
                     content_of(document, paths::kResultService).value_or(""), hooks_in(document)};
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace sunup::render
