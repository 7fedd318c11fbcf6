// Requests to hosts outside the node: the network, the proxy and the progress notes to use, and which failures are
// worth a retry.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/host.h"

namespace sunup::fetch {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Outside {
  host::Host& host;
  std::function<void(std::string)> note = [](const std::string&) {};
  // The proxy for this URL; empty: none.
  std::function<std::string(std::string_view url)> proxy = [](std::string_view) { return std::string(); };
};

// The URL for display, without its query, which may contain a signature.
std::string shown(std::string_view url);
std::string_view scheme_and_host(std::string_view url);

// The error for a response status. ENODATA: the server does not have the file. EACCES: the server denies access.
Error refusal(std::string_view url, int status);

// False if the server does not have the file, or if the network is not used (--root).
bool worth_retrying(const Error& error);

// A request that follows at most five redirects, never from https to http. Headers with credentials are sent only to
// the first host. `request.url` is set to the URL that responded.
host::Task<Result<host::HttpReply>> ask(const Outside& outside, host::HttpRequest& request);

}  // namespace sunup::fetch
