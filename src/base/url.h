// What a URL may hold besides a place: percent codes and credentials.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sunup {

// A % that is not followed by two hexadecimal digits stands for itself.
std::string percent_decoded(std::string_view text);

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
