#include "render/cloud_config.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/node_paths.h"

namespace sunup::render {
namespace {

std::string entry(std::string_view path, std::string_view content) {
  return fmt::format("- path: {}\n  permissions: \"0600\"\n  owner: root\n  content: !!binary |\n    {}\n", path,
                     base64_encode(content));
}

std::optional<std::string> content_of(std::string_view text, std::string_view path) {
  const size_t at = text.find(fmt::format("- path: {}\n", path));
  if (at == std::string_view::npos) return std::nullopt;
  constexpr std::string_view kContent = "content: !!binary |\n    ";
  const size_t start = text.find(kContent, at);
  if (start == std::string_view::npos) return std::nullopt;
  const size_t begin = start + kContent.size();
  return base64_decode(text.substr(begin, text.find('\n', begin) - begin));
}

std::vector<HookFile> hooks_in(std::string_view text) {
  std::vector<HookFile> hooks;
  constexpr std::string_view kPath = "- path: ";
  for (size_t at = text.find(kPath); at != text.npos; at = text.find(kPath, at + 1)) {
    const std::string_view rest = text.substr(at + kPath.size());
    const std::string_view path = rest.substr(0, rest.find('\n'));
    const std::string_view name = hook_name_in(path);
    if (name.empty()) continue;
    if (auto content = content_of(text.substr(at), path)) hooks.push_back({std::string(name), *std::move(content)});
  }
  return hooks;
}

}  // namespace

std::string write_files_config(const NodeFiles& files) {
  std::string text = "#cloud-config\nwrite_files:\n";
  // The config is written last, because the controller may start as soon as it exists.
  for (const HookFile& hook : files.hooks) text += entry(hook_path(hook.name), hook.text);
  if (!files.features.empty()) text += entry(paths::kFeatures, files.features);
  if (!files.results.empty()) text += entry(paths::kResultService, files.results);
  return text + entry(paths::kNodeConfig, files.config_json);
}

std::optional<NodeFiles> read_write_files_config(std::string_view text) {
  auto config = content_of(text, paths::kNodeConfig);
  if (!text.starts_with("#cloud-config\n") || !config) return std::nullopt;
  return NodeFiles{*std::move(config), content_of(text, paths::kFeatures).value_or(""),
                   content_of(text, paths::kResultService).value_or(""), hooks_in(text)};
}

std::string companion_cloud_config() {
  return "#cloud-config\nfinal_message: \"aks-node-controller: cloud-init is done after $UPTIME seconds, at "
         "$TIMESTAMP\"\n";
}

}  // namespace sunup::render
