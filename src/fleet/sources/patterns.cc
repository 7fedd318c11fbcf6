#include "fleet/sources/patterns.h"

#include <algorithm>

#include "base/text.h"

namespace sunup::fleet {
namespace {

template <class Test>
bool all_of(std::string_view text, Test test) {
  return std::all_of(text.begin(), text.end(), test);
}

// Alphanumeric at both ends, `inner` characters in between.
bool capped(std::string_view text, std::string_view inner) {
  return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         all_of(text, [inner](char c) { return is_alphanumeric(c) || inner.find(c) != inner.npos; });
}

bool is_dns_name(std::string_view text, std::string_view inner, bool lower) {
  if (text.empty() || text.size() > 253) return false;
  while (true) {
    const size_t dot = std::min(text.find('.'), text.size());
    const std::string_view part = text.substr(0, dot);
    if (part.size() > 63 || !capped(part, inner)) return false;
    if (lower && !all_of(part, [](char c) { return !is_upper(c); })) return false;
    if (dot == text.size()) return true;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace

bool is_qualified_name(std::string_view text) {
  if (const size_t slash = text.find('/'); slash != text.npos) {
    if (!is_dns_name(text.substr(0, slash), "-", /*lower=*/true)) return false;
    text.remove_prefix(slash + 1);
  }
  return text.size() <= 63 && capped(text, "-_.");
}

bool is_log_size(std::string_view text) {
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string_view suffix = text.substr(digits);
  if (digits == 0 || suffix.empty() || std::string_view("EPTGMK").find(suffix[0]) == std::string_view::npos)
    return false;
  return suffix.size() == 1 || suffix.substr(1) == "i";
}

bool is_simple_duration(std::string_view text) {
  if (text.empty()) return false;
  while (!text.empty()) {
    const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0 || digits == text.size() || std::string_view("smh").find(text[digits]) == std::string_view::npos)
      return false;
    text.remove_prefix(digits + 1);
  }
  return true;
}

std::optional<SubnetId> parse_subnet_id(std::string_view text) {
  constexpr std::string_view kWords[] = {
      "", "subscriptions", "", "resourcegroups", "", "providers", "microsoft.network", "virtualnetworks",
      "", "subnets",       ""};
  const auto parts = split(text, '/');
  if (parts.size() != std::size(kWords) || !parts[0].empty()) return std::nullopt;
  for (size_t i = 1; i < parts.size(); ++i)
    if (kWords[i].empty() ? parts[i].empty() : !equal_ignoring_case(parts[i], kWords[i])) return std::nullopt;
  const std::string_view group = parts[4];
  if (group.size() > 90 || group.back() == '.' || !all_of(group, [](char c) {
        return is_alphanumeric(c) || std::string_view("_-().").find(c) != std::string_view::npos;
      }))
    return std::nullopt;
  return SubnetId{std::string(parts[2]), std::string(group), std::string(parts[8]), std::string(parts[10])};
}

bool is_subnet_id(std::string_view text) {
  return parse_subnet_id(text).has_value();
}

bool is_managed_network(const SubnetId& subnet, std::string_view node_resource_group) {
  constexpr std::string_view kPrefix = "aks-vnet-";
  const std::string_view vnet = subnet.vnet;
  return vnet.size() == kPrefix.size() + 8 && vnet.starts_with(kPrefix) &&
         all_of(vnet.substr(kPrefix.size()), is_digit) && subnet.subnet == "aks-subnet" &&
         equal_ignoring_case(subnet.resource_group, node_resource_group);
}

bool is_sysctl(std::string_view text) {
  if (text.empty() || text.size() > 253 || !is_alphanumeric(text.front())) return false;
  if (text.ends_with('*')) text.remove_suffix(1);
  return all_of(
      text, [](char c) { return is_alphanumeric(c) || std::string_view("-_./").find(c) != std::string_view::npos; });
}

bool is_dns_zone(std::string_view text) {
  if (text == ".") return true;
  if (text.ends_with('.')) text.remove_suffix(1);
  return is_dns_name(text, "-_", /*lower=*/false);
}

bool is_object_name(std::string_view text) {
  const auto plain = [](char c) { return is_lower(c) || is_digit(c); };
  if (text.empty() || text.size() > 253) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (plain(text[i])) continue;
    // A dash or dot must be between two letters or digits, or a dash beside another dash.
    const bool inside = i > 0 && i + 1 < text.size();
    if (text[i] == '.' && inside && plain(text[i - 1]) && plain(text[i + 1])) continue;
    if (text[i] == '-' && inside && text[i - 1] != '.' && text[i + 1] != '.') continue;
    return false;
  }
  return true;
}

}  // namespace sunup::fleet
