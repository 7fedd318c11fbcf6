// How the world outside the node is asked: over which machine's network, through which proxy, with what said on the
// way. And what its refusals mean for whoever would try again.
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
  // The proxy to go through to this URL; empty: none.
  std::function<std::string(std::string_view url)> proxy = [](std::string_view) { return std::string(); };
};

// A URL as it may be shown: a query can hold a signature that is as good as a password.
std::string shown(std::string_view url);
std::string_view scheme_and_host(std::string_view url);

// What the answer's status means. ENODATA: the server answered, and does not have it. EACCES: it refuses us.
Error refusal(std::string_view url, int status);

// What nobody has is not worth another attempt, nor is a network that is left alone (--root).
bool worth_retrying(const Error& error);

// A request that follows redirects, five at most, never from https to http. Headers that name credentials go to the
// first host only. `request.url` ends up as the one that answered.
host::Task<Result<host::HttpReply>> ask(const Outside& outside, host::HttpRequest& request);

}  // namespace sunup::fetch
