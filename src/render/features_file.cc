#include "render/features_file.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace sunup::render {
namespace {

using namespace std::string_view_literals;

bool is_identifier(std::string_view key) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !key.empty() && letter(key.front()) && std::ranges::all_of(key, [&](char c) { return letter(c) || digit(c); });
}

}  // namespace

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
