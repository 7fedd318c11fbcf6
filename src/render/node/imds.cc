#include "render/node/imds.h"

#include <nlohmann/json.hpp>

#include "base/exit_code.h"
#include "base/json_member.h"
#include "base/text.h"

namespace sunup::render::node {
namespace {

using Json = nlohmann::json;

std::vector<std::string> addresses(const Json& family) {
  std::vector<std::string> found;
  const Json& list = member_of(family, "ipAddress");
  if (!list.is_array()) return found;
  for (const Json& item : list)
    if (std::string address = text_of(item, "privateIpAddress"); !address.empty()) found.push_back(address);
  return found;
}

// "0022480A1B2C" -> "00:22:48:0a:1b:2c". Existing separators are accepted.
std::string mac_with_colons(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c == ':' || c == '-') continue;
    if (hex_digit(c) < 0) return {};
    digits += to_lower(c);
  }
  if (digits.size() != 12) return {};
  std::string mac;
  for (size_t i = 0; i < digits.size(); i += 2) {
    if (i) mac += ':';
    mac += digits.substr(i, 2);
  }
  return mac;
}

}  // namespace

std::string ImdsFacts::primary_ipv4() const {
  return interfaces.empty() || interfaces[0].ipv4.empty() ? std::string() : interfaces[0].ipv4[0];
}

std::string ImdsFacts::primary_ipv6() const {
  return interfaces.empty() || interfaces[0].ipv6.empty() ? std::string() : interfaces[0].ipv6[0];
}

std::optional<bool> ImdsFacts::tag(std::string_view name) const {
  const std::string wanted = lowered(name);
  for (const auto& [tag_name, value] : tags)
    if (lowered(tag_name).find(wanted) != std::string::npos) return lowered(value).find("true") != std::string::npos;
  return std::nullopt;
}

Result<ImdsFacts> parse_imds(std::string_view body) {
  const Json answer = Json::parse(body, nullptr, false);
  if (!answer.is_object()) {
    return Error("the response of the instance metadata service is not a JSON object")
        .with_hint("check which service responds at 169.254.169.254, and that no proxy intercepts the request")
        .with_code(exit_code::kImdsFetchFailed);
  }
  ImdsFacts facts;
  const Json& compute = member_of(answer, "compute");
  facts.vm_size = text_of(compute, "vmSize");
  if (const Json& list = member_of(compute, "tagsList"); list.is_array()) {
    for (const Json& item : list) {
      const std::string name = text_of(item, "name");
      if (!name.empty()) facts.tags.emplace_back(name, text_of(item, "value"));
    }
  }
  if (const Json& list = member_of(member_of(answer, "network"), "interface"); list.is_array()) {
    for (const Json& item : list) {
      facts.interfaces.push_back({.mac = mac_with_colons(text_of(item, "macAddress")),
                                  .ipv4 = addresses(member_of(item, "ipv4")),
                                  .ipv6 = addresses(member_of(item, "ipv6"))});
    }
  }
  return facts;
}

}  // namespace sunup::render::node
