#include "controller/mode.h"

#include <algorithm>

#include "base/text.h"
#include "controller/paths.h"

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

Result<Mode> choose_mode(Node& node, Mode asked, bool files_only) {
  if (asked != Mode::kAuto) return asked;
  if (files_only) return Mode::kNative;
  const auto text = node.files.read_if_there(paths::kFeatures);
  if (!text) return text.error();
  if (*text) {
    const auto features = parse_features(**text);
    const auto native = features.find("NATIVE_PROVISIONING");
    if (native != features.end() && native->second == "true") return Mode::kNative;
  }
  const auto script = node.files.exists(paths::kStartScript);
  if (!script) return script.error();
  return *script ? Mode::kScripts : Mode::kNative;
}

}  // namespace sunup::controller
