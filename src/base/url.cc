#include "base/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/text.h"

namespace sunup {
namespace {

constexpr std::string_view kScheme = "://";
constexpr std::string_view kAfterUrl = " \t\r\n\"'<>`";  // characters that end a URL in running text or a shell command

// Query arguments whose names mark them as secret. Any other argument is secret if it is as long as a signature, which
// values like "2024-11-04" are not. User names are not that long either, so a longer one is a token.
constexpr std::string_view kSecretArguments[] = {"sig",  "signature", "token",    "access_token", "key",
                                                 "code", "secret",    "password", "pwd"};
constexpr size_t kShortestSignature = 16;

bool equals_any(std::string_view written, std::span<const std::string_view> words) {  // in any letter case
  return std::ranges::any_of(words, [&](std::string_view word) { return equal_ignoring_case(written, word); });
}

void add_credentials(std::string_view after_scheme, std::vector<std::string_view>& found) {
  const std::string_view authority = after_scheme.substr(0, after_scheme.find_first_of("/?#"));
  if (const size_t at = authority.rfind('@'); at != std::string_view::npos) {
    const std::string_view user_information = authority.substr(0, at);
    const std::string_view user = user_information.substr(0, user_information.find(':'));
    if (user.size() >= kShortestSignature) found.push_back(user);
    if (user.size() + 1 < user_information.size()) found.push_back(user_information.substr(user.size() + 1));
  }
  const size_t question = after_scheme.find('?');
  if (question == std::string_view::npos) return;
  std::string_view query = after_scheme.substr(question + 1);
  query = query.substr(0, query.find('#'));
  while (!query.empty()) {
    const std::string_view parameter = take_until(query, '&');
    const size_t equals = parameter.find('=');
    const std::string_view argument = equals == std::string_view::npos ? parameter : parameter.substr(equals + 1);
    const bool named = equals != std::string_view::npos && equals + 1 < parameter.size() &&
                       equals_any(parameter.substr(0, equals), kSecretArguments);
    if (named || argument.size() >= kShortestSignature) found.push_back(argument);
  }
}

}  // namespace

std::optional<UrlParts> split_url(std::string_view text) {
  UrlParts parts;
  if (const size_t mark = text.find(kScheme); mark != std::string_view::npos) {
    parts.scheme = text.substr(0, mark);
    text.remove_prefix(mark + kScheme.size());
  }
  parts.authority = text.substr(0, text.find_first_of("/?#"));
  parts.target = text.substr(parts.authority.size());
  if (const size_t at = parts.authority.rfind('@'); at != std::string_view::npos) {
    parts.user = parts.authority.substr(0, at);
    parts.authority.remove_prefix(at + 1);
  }
  std::string_view rest = parts.authority;
  parts.bracketed = rest.starts_with('[');
  if (parts.bracketed) {
    const size_t close = rest.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    parts.host = rest.substr(1, close - 1);
    rest.remove_prefix(close + 1);
  } else {
    parts.host = rest.substr(0, rest.find(':'));
    rest.remove_prefix(parts.host.size());
  }
  if (rest.empty()) return parts;
  if (rest[0] != ':') return std::nullopt;
  parts.port = rest.substr(1);
  return parts;
}

std::string HttpUrl::host_header() const {
  return port == (tls ? 443 : 80) ? url_host(host) : fmt::format("{}:{}", url_host(host), port);
}

Result<HttpUrl> parse_http_url(std::string_view text) {
  const auto parts = split_url(text);
  if (!parts) return Error(fmt::format("{}: the brackets around its address are not closed", shown_url(text)));
  HttpUrl url;
  url.tls = equal_ignoring_case(parts->scheme, "https");
  if (!url.tls && !equal_ignoring_case(parts->scheme, "http"))
    return Error(fmt::format("{} is not an http or https URL", shown_url(text)));
  url.port = url.tls ? 443 : 80;
  if (parts->port) {
    url.port = as_number<uint16_t>(*parts->port).value_or(0);
    if (url.port == 0) return Error(fmt::format("{}: '{}' is not a port", shown_url(text), *parts->port));
  }
  if (parts->host.empty()) return Error(fmt::format("{} names no host", shown_url(text)));
  if (std::ranges::any_of(parts->authority, [](unsigned char c) { return c <= ' '; }))
    return Error("a URL must not hold blanks or line breaks");
  url.host = parts->host;
  url.authority = parts->authority;
  url.credentials = percent_decoded(parts->user);
  url.target = parts->target;
  if (!url.target.starts_with('/')) url.target.insert(0, "/");
  return url;
}

bool is_https(std::string_view url) {
  const auto parts = split_url(url);
  return parts && equal_ignoring_case(parts->scheme, "https");
}

bool same_server(std::string_view a, std::string_view b) {
  const auto first = parse_http_url(a);
  const auto second = parse_http_url(b);
  return first && second && first->tls == second->tls && first->port == second->port &&
         equal_ignoring_case(first->host, second->host);
}

std::string host_of(std::string_view text) {
  if (const auto url = parse_http_url(text)) return url->host;
  const auto parts = split_url(text);
  const bool with_port = parts && parts->scheme.empty() && parts->port &&
                         as_number<int64_t>(*parts->port).value_or(0) > 0 && *as_number<int64_t>(*parts->port) < 65536;
  return std::string(with_port ? parts->host : text);
}

std::string shown_url(std::string_view url) {
  std::string text(url.substr(0, url.find_first_of("?#")));
  const size_t scheme = text.find(kScheme);
  const size_t from = scheme == std::string::npos ? 0 : scheme + kScheme.size();
  const size_t at = text.rfind('@', text.find('/', from));
  if (at != std::string::npos && at >= from) text.erase(from, at + 1 - from);
  return text;
}

std::string percent_encoded(std::string_view text, std::string_view kept, std::string_view digits) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_alphanumeric(c) || kept.find(c) != std::string_view::npos)
      out += c;
    else
      out.append({'%', digits[byte >> 4], digits[byte & 15]});
  }
  return out;
}

std::string query_decoded(std::string_view text) {
  std::string plain(text);
  std::ranges::replace(plain, '+', ' ');
  return percent_decoded(plain);
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
      out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool is_url(std::string_view text) {
  constexpr std::string_view kSchemes[] = {"http", "https", "socks4", "socks4a", "socks5", "socks5h", "unix"};
  const size_t end = text.find(kScheme);
  if (end == std::string_view::npos) return false;
  return equals_any(text.substr(0, end), kSchemes);
}

std::vector<std::string_view> url_credentials(std::string_view text) {
  std::vector<std::string_view> found;
  for (size_t at = text.find(kScheme); at != std::string_view::npos;) {
    at += kScheme.size();
    // A URL ends before the next one. Without this limit, the end would be searched in the rest of the text once for
    // every scheme in it.
    const size_t next = text.find(kScheme, at);
    const std::string_view until_next = text.substr(at, next - at);
    add_credentials(until_next.substr(0, until_next.find_first_of(kAfterUrl)), found);
    at = next;
  }
  return found;
}

std::string url_host(std::string_view host) {
  const bool bare_address = host.find(':') != std::string_view::npos && !host.starts_with('[');
  return bare_address ? "[" + std::string(host) + "]" : std::string(host);
}

std::string_view without_brackets(std::string_view host) {
  return host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
}

std::string without_url_credentials(std::string_view text, std::string_view instead) {
  std::string out;
  size_t from = 0;
  for (const std::string_view credential : url_credentials(text)) {
    const auto at = static_cast<size_t>(credential.data() - text.data());
    out.append(text.substr(from, at - from)).append(instead);
    from = at + credential.size();
  }
  return out.append(text.substr(from));
}

}  // namespace sunup
