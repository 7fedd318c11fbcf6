#include "announce/result_service.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/text.h"
#include "base/url.h"
#include "host/running.h"

namespace sunup::announce {
namespace {

using namespace std::chrono_literals;
using host::Duration;
using host::Task;

constexpr int kAttempts = 4;
constexpr int kRefusals = 3;
constexpr Duration kAttemptLimit = 3s;
constexpr Duration kPause = 1s;
constexpr Duration kLongestPause = 3s;
constexpr Duration kLimit = 10s;

host::HttpRequest request_for(const ResultService& service, const std::string& node, const std::string& body) {
  host::HttpRequest request;
  request.method = "POST";
  request.url = service.url + "/v1/nodes/" + percent_encoded(node) + "/result";
  request.headers.emplace_back("Content-Type", "application/json");
  if (service.token.empty()) {
    request.client_certificate = service.client_certificate;
    request.client_key = service.client_certificate;
  } else {
    request.headers.emplace_back("Authorization", "Bearer " + std::string(service.token.reveal()));
  }
  request.body = body;
  request.limit = kAttemptLimit;
  request.max_body = 64u << 10;
  request.ca_pem = service.ca;
  return request;
}

// The text of the response is not part of it: a server might repeat the request.
Error refusal(int status) {
  std::string what = "the service answered " + std::to_string(status);
  if (status == 401) what += " (it does not accept this node's credential)";
  if (status == 403) what += " (this node may not report)";
  if (status == 404) what += " (the cluster has neither a NodeClaim nor a Node of this name)";
  if (status == 422) what += " (it does not accept the report)";
  return Error(std::move(what));
}

// A token, a NodeClaim or the Node may reach the cluster some seconds after the node has started.
bool is_early(int status) {
  return status == 401 || status == 404;
}

Duration pause_before_next(const host::HttpReply& reply) {
  if (is_early(reply.status)) return kLongestPause;
  const std::string given = reply.header("Retry-After");
  if (given.empty() || given.size() > 6 || !std::ranges::all_of(given, is_digit)) return kPause;
  return std::clamp<Duration>(std::chrono::seconds(std::stoi(given)), kPause, kLongestPause);
}

Task<Result<void>> send_until_accepted(host::Loop& loop, host::Network& network, ResultService service,
                                       std::string node, std::string body) {
  int refusals = 0;
  for (int attempt = 1;; ++attempt) {
    host::HttpRequest request = request_for(service, node, body);
    const Result<host::HttpReply> reply = co_await network.request(std::move(request));
    if (reply && reply->status / 100 == 2) co_return Result<void>();
    const int status = reply ? reply->status : 0;
    const bool may_pass = !reply || status == 429 || status / 100 == 5 || (is_early(status) && ++refusals < kRefusals);
    if (!may_pass || attempt == kAttempts) co_return reply ? refusal(status) : reply.error();
    co_await loop.after(reply ? pause_before_next(*reply) : kPause);
  }
}

}  // namespace

Task<Result<void>> send_result(host::Loop& loop, host::Network& network, ResultService service, std::string node,
                               std::string body) {
  auto sending = send_until_accepted(loop, network, std::move(service), std::move(node), std::move(body));
  co_return co_await host::within(loop, kLimit, std::move(sending), "sending the result");
}

}  // namespace sunup::announce
