#include "fleet/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace sunup::fleet {
namespace {

// Splits "host", "host:443" or "[::1]:443"; false when the port is not one.
bool split_authority(std::string_view authority, std::string& host, uint16_t& port) {
  if (const size_t user = authority.rfind('@'); user != std::string_view::npos) authority.remove_prefix(user + 1);
  std::string_view rest;
  if (authority.starts_with('[')) {
    const size_t close = authority.find(']');
    if (close == std::string_view::npos) return false;
    host = authority.substr(1, close - 1);
    rest = authority.substr(close + 1);
  } else {
    const size_t colon = std::min(authority.find(':'), authority.size());
    host = authority.substr(0, colon);
    rest = authority.substr(colon);
  }
  if (rest.empty()) return true;
  if (rest[0] != ':') return false;
  rest.remove_prefix(1);
  const auto [end, err] = std::from_chars(rest.data(), rest.data() + rest.size(), port);
  return err == std::errc{} && end == rest.data() + rest.size() && port != 0;
}

}  // namespace

std::string Url::host_header() const {
  const std::string shown = host.find(':') == std::string::npos ? host : "[" + host + "]";
  return port == (secure() ? 443 : 80) ? shown : fmt::format("{}:{}", shown, port);
}

std::optional<Url> parse_url(std::string_view text) {
  const size_t mark = text.find("://");
  if (mark == std::string_view::npos) return std::nullopt;
  Url url;
  url.scheme = text.substr(0, mark);
  std::transform(url.scheme.begin(), url.scheme.end(), url.scheme.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (url.scheme != "https" && url.scheme != "http") return std::nullopt;
  text.remove_prefix(mark + 3);
  const size_t slash = std::min(text.find_first_of("/?#"), text.size());
  if (!split_authority(text.substr(0, slash), url.host, url.port) || url.host.empty()) return std::nullopt;
  if (url.host.find_first_of(" \t\r\n") != std::string::npos) return std::nullopt;
  if (url.port == 0) url.port = url.secure() ? 443 : 80;
  url.path = text.substr(slash);
  if (url.path.empty() || url.path[0] != '/') url.path.insert(0, "/");
  return url;
}

std::string host_of(std::string_view text) {
  if (const auto url = parse_url(text)) return url->host;
  std::string host;
  uint16_t port = 0;
  const std::string_view authority = text.substr(0, text.find('/'));
  return split_authority(authority, host, port) && port != 0 ? host : std::string(text);
}

}  // namespace sunup::fleet
