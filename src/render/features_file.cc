#include "render/features_file.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "base/text.h"

namespace sunup::render {
using namespace std::string_view_literals;

std::string features_file(const aksnodeconfig::v1::Configuration& config) {
  const std::map<std::string, std::string> sorted(config.enabled_features().begin(), config.enabled_features().end());
  std::string text;
  for (const auto& [key, value] : sorted) {
    if (!is_identifier(key) || value.find_first_of("\r\n\0"sv) != std::string::npos) continue;
    text += key + "=" + value + "\n";
  }
  return text;
}

}  // namespace sunup::render
