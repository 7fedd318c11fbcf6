#include "fetch/outside.h"

#include <fmt/format.h>

#include <cerrno>

#include "base/url.h"

namespace sunup::fetch {
namespace {

constexpr int kMostRedirects = 5;

bool redirects(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

Result<std::string> redirected(const std::string& from, std::string to) {
  if (to.starts_with("//")) to = from.substr(0, from.find(':') + 1) + to;
  if (to.starts_with('/')) to = std::string(scheme_and_host(from)) + to;
  if (to.find("://") == std::string::npos) return Error("a redirect without a target");
  if (is_https(from) && !is_https(to)) return Error(fmt::format("a redirect to {}, which is not https", shown_url(to)));
  return to;
}

}  // namespace

std::string_view scheme_and_host(std::string_view url) {
  const size_t scheme = url.find("://");
  const size_t from = scheme == std::string_view::npos ? 0 : scheme + 3;
  return url.substr(0, url.find_first_of("/?#", from));
}

Error refusal(std::string_view url, int status) {
  Error error(fmt::format("GET {}: HTTP status {}", shown_url(url), status));
  if (status == 404 || status == 410) error.os_errno = ENODATA;
  if (status == 401 || status == 403) error.os_errno = EACCES;
  return error;
}

bool worth_retrying(const Error& error) {
  return error.os_errno != ENODATA && error.os_errno != ENOTSUP;
}

host::Task<Result<host::HttpReply>> ask(const Outside& outside, host::HttpRequest& request) {
  const std::string asked = shown_url(request.url);
  for (int followed = 0; followed <= kMostRedirects; ++followed) {
    request.proxy = outside.proxy(request.url);
    host::HttpRequest copy = request;
    Result<host::HttpReply> reply = co_await outside.host.network.request(std::move(copy));
    if (!reply || !redirects(reply->status)) co_return reply;
    Result<std::string> next = redirected(request.url, reply->header("Location"));
    if (!next) co_return std::move(next).error().in("GET " + asked);
    const bool elsewhere = !same_server(*next, request.url);
    if (elsewhere && !request.body.empty())
      co_return Error(fmt::format("{} {}: a redirect to {}, which is another host and gets no copy of what was sent",
                                  request.method, asked, shown_url(*next)));
    if (elsewhere) std::erase_if(request.headers, [](const auto& header) { return header.first == "Authorization"; });
    request.url = *std::move(next);
  }
  co_return Error(fmt::format("GET {}: more than {} redirects", asked, kMostRedirects));
}

}  // namespace sunup::fetch
