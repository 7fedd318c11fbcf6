// The parts of URLs, percent-encoding, and credentials in URLs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sunup {

// The parts of [scheme://][user@]host[:port][target] as written: views of the text.
struct UrlParts {
  std::string_view scheme;               // empty: there is none
  std::string_view user;                 // user[:password]
  std::string_view authority;            // host[:port]
  std::string_view host;                 // without brackets
  bool bracketed = false;                // the host is in brackets, as required for an IPv6 address
  std::optional<std::string_view> port;  // the text after the ':', whether or not it is a number
  std::string_view target;               // path, query and fragment
};

// Every text has these parts, except one with brackets that are not closed or are followed by anything but a port.
std::optional<UrlParts> split_url(std::string_view text);

// A URL to send a request to.
struct HttpUrl {
  bool tls = false;
  std::string host;         // without brackets
  uint16_t port = 80;       // the scheme's default if none is given
  std::string target;       // path, query and fragment; begins with '/'
  std::string authority;    // host[:port] as written
  std::string credentials;  // user:password, decoded; empty: none

  std::string host_header() const;  // the host, with the port if it is not the scheme's default
};

// An absolute http or https URL with a host. Errors contain no credentials.
Result<HttpUrl> parse_http_url(std::string_view text);

// Whether the URL's scheme is https, ignoring case.
bool is_https(std::string_view url);

// Whether two http or https URLs have the same scheme, host and port, so that a credential for one may be sent to the
// other.
bool same_server(std::string_view a, std::string_view b);

// The host of an http or https URL or of "host:port"; the text itself if it is neither.
std::string host_of(std::string_view text);

// The URL without credentials, query and fragment, which may contain a password or a signature.
std::string shown_url(std::string_view url);

// Encodes every byte except letters, digits and `kept` as %XX.
std::string percent_encoded(std::string_view text, std::string_view kept = "-_.~",
                            std::string_view digits = "0123456789ABCDEF");

// A % that is not followed by two hexadecimal digits is kept.
std::string percent_decoded(std::string_view text);
// The same for the value of a query argument, where '+' means a blank.
std::string query_decoded(std::string_view text);

// The host as in a URL: an IPv6 address in brackets, anything else unchanged.
std::string url_host(std::string_view host);

// The host without these brackets.
std::string_view without_brackets(std::string_view host);

// Whether `text` begins with a scheme that proxies, downloads or endpoints use. The host of such a URL may be shown. A
// password can also contain "://", so text with any other scheme is not treated as a URL.
bool is_url(std::string_view text);

// The passwords (user:password@host), tokens (token@host) and signatures (long arguments of a query) of all URLs in
// `text`, as written. The views are into `text`.
std::vector<std::string_view> url_credentials(std::string_view text);

// `text` with its URL credentials replaced by `instead`.
std::string without_url_credentials(std::string_view text, std::string_view instead);

}  // namespace sunup
