#include "fetch/registry.h"

#include <fmt/format.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/digest.h"
#include "base/url.h"
#include "fetch/download.h"

namespace sunup::fetch {
namespace {

using namespace std::chrono_literals;
using host::HttpReply;
using host::Task;

constexpr size_t kLargestDocument = 4 << 20;
constexpr int kMostPages = 50;
constexpr char kManifests[] =
    "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json, "
    "application/vnd.oci.artifact.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json, "
    "application/vnd.docker.distribution.manifest.list.v2+json";

Error refused(std::string_view host, int status) {
  Error error(fmt::format("the registry {} denies access to this node: HTTP status {}", host, status));
  error.os_errno = EACCES;
  return error;
}

}  // namespace

Task<Result<void>> Registry::get_token(std::string header) {
  auto challenge = parse_challenge(header);
  if (!challenge) co_return std::move(challenge).error();
  // A token that is sent without TLS can be read by anyone on the network path.
  if (is_https(what_.url()) && !is_https(challenge->realm))
    co_return Error(fmt::format("the token service of registry {} does not use TLS", what_.host));
  // The registry's response names the token service. It must not be able to redirect the login to another host.
  if (!refresh_token_.empty() && !same_server(challenge->realm, what_.url()))
    co_return Error(
        fmt::format("the registry {} requests its login at another host, {}", what_.host, shown_url(challenge->realm)));
  host::HttpRequest request;
  request.limit = 60s;
  request.max_body = kLargestDocument;
  if (refresh_token_.empty()) {
    request.url = token_url(*challenge);
  } else {
    request.url = challenge->realm;
    request.method = "POST";
    request.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
    request.body = fmt::format("grant_type=refresh_token&service={}&scope={}&refresh_token={}",
                               percent_encoded(challenge->service, ""), percent_encoded(challenge->scope, ""),
                               percent_encoded(refresh_token_.reveal(), ""));
  }
  Result<HttpReply> reply = co_await ask(outside_, request);
  if (!reply) co_return std::move(reply).error();
  if (reply->status == 400 || reply->status == 401 || reply->status == 403)
    co_return refused(what_.host, reply->status);
  if (reply->status != 200) co_return refusal(challenge->realm, reply->status);
  auto token = parse_token(reply->body);
  if (!token) co_return std::move(token).error();
  access_token_ = Secret(*std::move(token));
  co_return Result<void>();
}

Task<Result<HttpReply>> Registry::ask_registry(std::string url, std::string accept) {
  for (bool again = false;; again = true) {
    host::HttpRequest request;
    request.url = url;
    request.limit = 60s;
    request.max_body = kLargestDocument;
    request.headers.emplace_back("Accept", accept);
    if (!access_token_.empty())
      request.headers.emplace_back("Authorization", "Bearer " + std::string(access_token_.reveal()));
    Result<HttpReply> reply = co_await ask(outside_, request);
    if (!reply) co_return reply;
    if (reply->status == 403 || (reply->status == 401 && again)) co_return refused(what_.host, reply->status);
    if (reply->status == 200) co_return reply;
    if (reply->status != 401) co_return refusal(url, reply->status);
    if (auto got = co_await get_token(reply->header("WWW-Authenticate")); !got) co_return std::move(got).error();
  }
}

Task<Result<std::vector<std::string>>> Registry::tags() {
  std::vector<std::string> tags;
  std::string url = what_.url() + "/tags/list";
  const std::string here(scheme_and_host(url));
  for (int page = 0; page < kMostPages && !url.empty(); ++page) {
    Result<HttpReply> reply = co_await ask_registry(url, "application/json");
    if (!reply) co_return std::move(reply).error();
    auto some = parse_tags(reply->body);
    if (!some) co_return std::move(some).error().in(what_.host);
    tags.insert(tags.end(), some->begin(), some->end());
    const std::string next = next_page(reply->header("Link"));
    url = next.empty() ? "" : next.starts_with('/') ? here + next : next;
    // The request for the next page carries the same token.
    if (!url.empty() && !same_server(url, here))
      co_return Error(fmt::format("the registry {} continues its tags at {}", what_.host, shown_url(url)));
  }
  co_return tags;
}

Task<Result<std::string>> Registry::manifest(std::string tag_or_digest) {
  Result<HttpReply> reply = co_await ask_registry(what_.url() + "/manifests/" + tag_or_digest, kManifests);
  if (!reply) co_return std::move(reply).error();
  const bool by_digest = tag_or_digest.starts_with("sha256:");
  const std::string expected = by_digest ? tag_or_digest : reply->header("Docker-Content-Digest");
  if (expected.starts_with("sha256:") && expected != "sha256:" + sha256_hex(reply->body)) {
    Error wrong(fmt::format("the manifest of {} does not match its digest", what_.text()));
    wrong.os_errno = EBADMSG;
    co_return wrong;
  }
  co_return std::move(reply->body);
}

Task<Result<std::vector<Layer>>> Registry::files(Platform platform) {
  std::string next = what_.tag;
  for (int depth = 0; depth < 3; ++depth) {
    Result<std::string> text = co_await manifest(next);
    if (!text) co_return std::move(text).error();
    auto parsed = parse_manifest(*text, platform);
    if (!parsed) co_return std::move(parsed).error().in(what_.text());
    if (!parsed->layers.empty()) co_return std::move(parsed->layers);
    next = parsed->next;
  }
  co_return Error(what_.text() + ": an index of indexes");
}

Task<Result<void>> Registry::get(Layer file, std::string to, bool durable) {
  Download what;
  what.url = fmt::format("{}/blobs/sha256:{}", what_.url(), file.sha256);
  what.to = std::move(to);
  what.sha256 = file.sha256;
  what.size = file.size;
  if (file.size > what.at_most) co_return Error(fmt::format("{}: a file of {} bytes", what_.text(), file.size));
  what.durable = durable;
  if (!access_token_.empty())
    what.headers.emplace_back("Authorization", "Bearer " + std::string(access_token_.reveal()));
  co_return co_await download(outside_, std::move(what));
}

Secret refresh_token(std::string_view login_file, std::string_view host) {
  const auto document = nlohmann::json::parse(login_file, nullptr, false);
  if (!document.is_object()) return Secret();
  const auto auths = document.find("auths");
  if (auths == document.end() || !auths->is_object()) return Secret();
  const auto entry = auths->find(std::string(host));
  if (entry == auths->end() || !entry->is_object()) return Secret();
  if (const auto token = entry->find("identitytoken"); token != entry->end() && token->is_string())
    return Secret(token->get<std::string>());
  const auto auth = entry->find("auth");
  if (auth == entry->end() || !auth->is_string()) return Secret();
  const std::string pair = base64_decode(auth->get<std::string>()).value_or("");
  const size_t colon = pair.find(':');
  return Secret(colon == std::string::npos ? "" : pair.substr(colon + 1));
}

}  // namespace sunup::fetch
