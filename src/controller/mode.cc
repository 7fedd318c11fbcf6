#include "controller/mode.h"

#include <algorithm>

#include "base/node_paths.h"
#include "base/text.h"

namespace sunup::controller {

std::optional<Mode> parse_mode(std::string_view text) {
  if (text.empty() || text == "auto") return Mode::kAuto;
  if (text == "native") return Mode::kNative;
  if (text == "scripts") return Mode::kScripts;
  return std::nullopt;
}

std::map<std::string, std::string> parse_features(std::string_view text) {
  std::map<std::string, std::string> features;
  while (!text.empty()) {
    const std::string_view line = take_until(text, '\n');
    const size_t equals = std::min(line.find('='), line.size());
    if (!is_identifier(line.substr(0, equals))) continue;
    features[std::string(line.substr(0, equals))] = line.substr(std::min(equals + 1, line.size()));
  }
  return features;
}

namespace {

Result<bool> is_enabled(Node& node, const char* feature) {
  const auto text = node.files.read_if_there(paths::kFeatures);
  if (!text) return text.error();
  if (!*text) return false;
  const auto features = parse_features(**text);
  const auto found = features.find(feature);
  return found != features.end() && found->second == "true";
}

}  // namespace

std::string_view name_of(Source source) {
  return source == Source::kConfig ? "provision-config" : "nbc-cmd";
}

Result<Source> choose_source(Node& node, bool has_config, bool has_command) {
  if (!has_command) return Source::kConfig;
  if (!has_config) return Source::kCommand;
  const auto config_wins = is_enabled(node, "USE_AKS_NODE_CONFIG");
  if (!config_wins) return config_wins.error();
  return *config_wins ? Source::kConfig : Source::kCommand;
}

Result<Mode> choose_mode(Node& node, Mode asked, bool files_only) {
  if (asked != Mode::kAuto) return asked;
  if (files_only) return Mode::kNative;
  const auto native = is_enabled(node, "NATIVE_PROVISIONING");
  if (!native) return native.error();
  if (*native) return Mode::kNative;
  const auto script = node.files.exists(paths::kStartScript);
  if (!script) return script.error();
  return *script ? Mode::kScripts : Mode::kNative;
}

}  // namespace sunup::controller
