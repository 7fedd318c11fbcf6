#include "contract/formats.h"

#include <arpa/inet.h>

#include <algorithm>
#include <string>

#include "base/duration.h"
#include "base/text.h"
#include "base/url.h"

namespace sunup::contract {
namespace {

// Removes "12", "1.5", ".5" or "1." from the front of `text`; false if there is no digit.
bool take_decimal(std::string_view& text) {
  const auto take_digits = [&text] {
    const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(digits);
    return digits;
  };
  size_t digits = take_digits();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digits += take_digits();
  }
  return digits > 0;
}

bool is_name_of(std::string_view text, size_t longest, bool (*inside)(char)) {
  return !text.empty() && text.size() <= longest && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         std::all_of(text.begin(), text.end(), inside);
}

bool is_label_character(char c) {
  return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
}

// Whether every '%' is followed by two hexadecimal digits.
bool is_percent_encoded(std::string_view text) {
  for (size_t at = text.find('%'); at != text.npos; at = text.find('%', at + 1))
    if (at + 2 >= text.size() || text.substr(at + 1, 2).find_first_not_of("0123456789abcdefABCDEF") != text.npos)
      return false;
  return true;
}

}  // namespace

bool is_go_duration(std::string_view text) {
  return parse_go_duration(text).has_value();
}

bool is_quantity(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (!take_decimal(text)) return false;
  for (const std::string_view suffix :
       {"", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"})
    if (text == suffix) return true;
  if (!text.starts_with('e') && !text.starts_with('E')) return false;
  text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

bool is_positive_quantity(std::string_view text) {
  if (!is_quantity(text) || text.starts_with('-')) return false;
  const std::string_view number = text.substr(0, text.find_first_not_of("+.0123456789"));  // without unit or exponent
  return number.find_first_of("123456789") != number.npos;
}

bool is_ipv4(std::string_view text) {
  in_addr out = {};
  return inet_pton(AF_INET, std::string(text).c_str(), &out) == 1;
}

bool is_ipv6(std::string_view text) {
  in6_addr out = {};
  return inet_pton(AF_INET6, std::string(text).c_str(), &out) == 1;
}

bool is_ip(std::string_view text) {
  return is_ipv4(text) || is_ipv6(text);
}

bool is_port_range(std::string_view text) {
  const size_t blank = text.find_first_of(" \t");
  if (blank == std::string_view::npos) return false;
  const auto first = as_number<int64_t>(text.substr(0, blank));
  const auto last = as_number<int64_t>(text.substr(std::min(text.find_first_not_of(" \t", blank), text.size())));
  return first && last && *first >= 1024 && *last <= 65535 && *first <= *last;
}

bool is_limit(std::string_view text, bool bytes) {
  for (std::string_view part : split(text, ':')) {
    if (part == "infinity") continue;
    if (bytes && !part.empty() && std::string_view("KMGTPE").find(part.back()) != std::string_view::npos)
      part.remove_suffix(1);
    const auto number = as_number<int64_t>(part);
    if (!number || *number < 0) return false;
  }
  return split(text, ':').size() <= 2;
}

bool is_host_name(std::string_view text) {
  if (text.ends_with('.')) text.remove_suffix(1);
  if (text.empty() || text.size() > 253) return false;
  for (const std::string_view label : split(text, '.'))
    if (!is_name_of(label, 63, [](char c) { return is_alphanumeric(c) || c == '-'; })) return false;
  return true;
}

bool is_host(std::string_view text) {
  const bool numeric = text.find_first_not_of("0123456789.") == std::string_view::npos;
  return numeric ? is_ipv4(text) : is_host_name(text);
}

bool is_http_url(std::string_view text) {
  if (std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; }))
    return false;
  const auto url = split_url(text);
  if (!url || (!equal_ignoring_case(url->scheme, "http") && !equal_ignoring_case(url->scheme, "https"))) return false;
  if (url->bracketed ? !is_ipv6(url->host) : !is_host(url->host)) return false;
  if (!is_percent_encoded(text.substr(0, text.find_first_of("?#")))) return false;
  const auto port = url->port ? as_number<int64_t>(*url->port) : 80;
  return port && *port >= 1 && *port <= 65535;
}

bool is_guid(std::string_view text) {
  if (text.size() != 36) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : hex_digit(text[i]) < 0) return false;
  }
  return true;
}

bool is_label_key(std::string_view text) {
  if (const size_t slash = text.find('/'); slash != std::string_view::npos) {
    const std::string_view prefix = text.substr(0, slash);
    if (!is_host_name(prefix) || std::any_of(prefix.begin(), prefix.end(), [](char c) { return c != to_lower(c); }))
      return false;
    text.remove_prefix(slash + 1);
  }
  return is_name_of(text, 63, is_label_character);
}

bool is_label_value(std::string_view text) {
  return text.empty() || is_name_of(text, 63, is_label_character);
}

bool kubelet_may_set(std::string_view key) {
  const size_t slash = key.find('/');
  if (slash == std::string_view::npos) return true;
  const std::string_view prefix = key.substr(0, slash);
  const auto within = [&](std::string_view domain) {
    return prefix == domain || (prefix.ends_with(domain) && prefix[prefix.size() - domain.size() - 1] == '.');
  };
  if (!within("kubernetes.io") && !within("k8s.io")) return true;
  if (within("kubelet.kubernetes.io") || within("node.kubernetes.io")) return true;
  constexpr std::string_view kAllowed[] = {"kubernetes.io/hostname",
                                           "kubernetes.io/os",
                                           "kubernetes.io/arch",
                                           "beta.kubernetes.io/os",
                                           "beta.kubernetes.io/arch",
                                           "beta.kubernetes.io/instance-type",
                                           "topology.kubernetes.io/zone",
                                           "topology.kubernetes.io/region",
                                           "failure-domain.beta.kubernetes.io/zone",
                                           "failure-domain.beta.kubernetes.io/region",
                                           "node.kubernetes.io/instance-type"};
  return std::ranges::find(kAllowed, key) != std::end(kAllowed);
}

bool is_taint(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view effect = text.substr(colon + 1);
  if (effect != "NoSchedule" && effect != "PreferNoSchedule" && effect != "NoExecute") return false;
  text = text.substr(0, colon);
  const size_t equals = text.find('=');
  return is_label_key(text.substr(0, equals)) &&
         (equals == std::string_view::npos || is_label_value(text.substr(equals + 1)));
}

bool is_image_reference(std::string_view text) {
  return !text.empty() && text.find("://") == std::string_view::npos && is_alphanumeric(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_alphanumeric(c) || c == '.' || c == '-' || c == '_' || c == '/' || c == ':' || c == '@';
         });
}

bool is_user_name(std::string_view text) {
  const auto letter = [](char c) { return is_letter(c) || c == '_'; };
  if (text.empty() || text.size() > 32 || !letter(text[0])) return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return letter(c) || is_digit(c) || c == '-' || c == '.'; });
}

std::vector<std::string_view> split_entries(std::string_view text) {
  auto entries = split(text, ',');
  std::erase(entries, std::string_view());
  return entries;
}

}  // namespace sunup::contract
