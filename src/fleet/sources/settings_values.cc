// Parses the values of options from their texts.
#include "base/text.h"
#include "fleet/sources/bounds.h"
#include "fleet/sources/patterns.h"
#include "fleet/sources/settings.h"

namespace sunup::fleet {

using nlohmann::json;
using enum Option;

bool Settings::flag(Option option) const {
  const std::string& value = text(option);
  return value == "true" || value == "1" || value == "t" || value == "T" || value == "TRUE" || value == "True";
}

double Settings::number(Option option) const {
  return as_number<double>(text(option)).value_or(0);
}

std::vector<std::string> Settings::list(Option option) const {
  auto items = parse_list(text(option));
  return items ? *std::move(items) : std::vector<std::string>();
}

std::map<std::string, std::string> Settings::map(Option option) const {
  const auto pairs = parse_pairs(text(option));
  return pairs ? std::map<std::string, std::string>(pairs->begin(), pairs->end())
               : std::map<std::string, std::string>();
}

Result<std::vector<std::string>> parse_list(std::string_view text) {
  std::vector<std::string> items;
  text = trimmed(text);
  if (text.starts_with('[')) {
    const auto parsed = parse_json(text);
    if (!parsed) return Error("must be a list: a,b or a JSON array");
    for (const json& item : *parsed) {
      if (!item.is_string()) return Error("every item must be a string");
      items.push_back(item.get<std::string>());
    }
    return items;
  }
  if (text.starts_with('{')) return Error("must be a list: a,b or a JSON array");
  for (std::string_view rest = text; !rest.empty();) {
    if (const auto item = trimmed(take_until(rest, ',')); !item.empty()) items.emplace_back(item);
  }
  return items;
}

Result<std::vector<std::pair<std::string, std::string>>> parse_pairs(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  if (text.starts_with('{')) {
    const auto parsed = parse_json(text);
    if (!parsed) return Error("must be pairs: k=v,k=v or a JSON object");
    for (const auto& [key, value] : parsed->items()) {
      if (value.is_structured()) return Error("every value must be a string");
      pairs.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
    }
    return pairs;
  }
  auto items = parse_list(text);
  if (!items) return std::move(items).error();
  for (const std::string& item : *items) {
    const size_t equals = item.find('=');
    if (equals == item.npos || equals == 0) return Error("must be pairs: k=v,k=v or a JSON object");
    pairs.emplace_back(item.substr(0, equals), item.substr(equals + 1));
  }
  return pairs;
}

bool Settings::overlay() const {
  return text(kNetworkPlugin) == "azure" && text(kNetworkPluginMode) == "overlay";
}

bool Settings::cilium_node_subnet() const {
  return text(kNetworkPlugin) == "azure" && text(kNetworkPluginMode).empty() && text(kNetworkDataplane) == "cilium";
}

bool Settings::plugin_none() const {
  return text(kNetworkPlugin) == "none";
}

}  // namespace sunup::fleet
