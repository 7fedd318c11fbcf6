// URLs: their parts, their percent codes, and the credentials in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sunup {

// The parts of [scheme://][user@]host[:port][target] as they are written: views of the text.
struct UrlParts {
  std::string_view scheme;               // empty: none is written
  std::string_view user;                 // user[:password]
  std::string_view authority;            // host[:port]
  std::string_view host;                 // without brackets
  bool bracketed = false;                // the host is in brackets, as an IPv6 address must be
  std::optional<std::string_view> port;  // what is behind the ':', a number or not
  std::string_view target;               // path, query and fragment
};

// Any text has these parts, except one with brackets that are not closed or that more than a port follows.
std::optional<UrlParts> split_url(std::string_view text);

// A URL to send a request to.
struct HttpUrl {
  bool tls = false;
  std::string host;         // without brackets
  uint16_t port = 80;       // the scheme's own if none is written
  std::string target;       // path, query and fragment; begins with '/'
  std::string authority;    // host[:port] as written
  std::string credentials;  // user:password, decoded; empty: none

  std::string host_header() const;  // the host, with the port if it is not the scheme's own
};

// An absolute http or https URL with a host. An error shows no credentials.
Result<HttpUrl> parse_http_url(std::string_view text);

// Whether the URL's scheme is https, in any case of letters.
bool is_https(std::string_view url);

// Whether two http or https URLs have the same scheme, host and port, so that a credential for one may go to the other.
bool same_server(std::string_view a, std::string_view b);

// The host of an http or https URL or of "host:port"; the text itself if it is neither.
std::string host_of(std::string_view text);

// The URL without credentials, query and fragment, which can hold a password or a signature.
std::string shown_url(std::string_view url);

// Every byte as %XX but letters, digits and `kept`.
std::string percent_encoded(std::string_view text, std::string_view kept = "-_.~");

// A % that is not followed by two hexadecimal digits stands for itself.
std::string percent_decoded(std::string_view text);
// The same for the value of a query's argument, where '+' is a blank.
std::string query_decoded(std::string_view text);

// The host as a URL has it: an IPv6 address in brackets, anything else as it is.
std::string url_host(std::string_view host);

// And as everybody else has it.
std::string_view without_brackets(std::string_view host);

// Whether `text` begins as the URL of a proxy, a download or an endpoint does. Of such a one the place may be shown; a
// password can have "://" in it too, so a scheme that none of these has makes no URL.
bool is_url(std::string_view text);

// The passwords (user:password@host), tokens (token@host) and signatures (long arguments of a query) of all URLs in
// `text`, as they stand there. The views are into `text`.
std::vector<std::string_view> url_credentials(std::string_view text);

// `text` with `instead` in their place.
std::string without_url_credentials(std::string_view text, std::string_view instead);

}  // namespace sunup
