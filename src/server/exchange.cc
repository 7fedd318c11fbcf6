#include "server/exchange.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <random>

#include "base/json_writer.h"
#include "base/text.h"
#include "server/node_results.h"
#include "service/answers.h"

namespace sunup::server {
namespace {

using service::ApiRequest;
using service::ApiResponse;

constexpr size_t kLongestId = 64;
// The limit for all requests that write one result. If a node gives up earlier, it sends the result again, which is
// idempotent.
constexpr std::chrono::seconds kRecordTime{4};

bool usable_id(std::string_view id) {
  return !id.empty() && id.size() <= kLongestId && std::ranges::all_of(id, [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
  });
}

std::string new_id() {
  // std::random_device requires a newer glibc than that of the oldest node image (tests/binary).
  static thread_local std::mt19937_64 random = [] {
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
      seed = static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
    return std::mt19937_64(seed);
  }();
  return fmt::format("{:016x}", random());
}

ApiResponse busy(std::string why) {
  ApiResponse response = service::refuse(503, Error(std::move(why)));
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

class InFlight {
 public:
  explicit InFlight(std::shared_ptr<Sessions> sessions) : sessions_(std::move(sessions)) { ++sessions_->in_flight; }
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;
  ~InFlight() { --sessions_->in_flight; }

 private:
  const std::shared_ptr<Sessions> sessions_;
};

}  // namespace

asio::awaitable<std::optional<ApiResponse>> Exchange::admit(const RequestReader& reader,
                                                            const std::optional<CertificateOwner>& certificate) {
  const std::string_view given = reader.field("X-Request-Id");
  id_ = usable_id(given) ? std::string(given) : new_id();
  const ApiRequest request = service::request_of(reader.method(), reader.target(), {});
  match_ = service::match(request.method, request.path);
  if (match_.route == nullptr) co_return service::handle(request);
  std::string_view node;
  for (const auto& [name, value] : match_.parameters)
    if (name == "name") node = value;
  const Decision decision = co_await core_.access.judge({.caller = match_.route->caller,
                                                         .method = request.method,
                                                         .path = request.path,
                                                         .node = node,
                                                         .authorization = reader.field("Authorization"),
                                                         .certificate = certificate,
                                                         .deadline = latest()});
  user_ = decision.user;
  if (decision.status == 0) co_return std::nullopt;
  ApiResponse response = service::refuse(decision.status, Error(decision.why));
  if (decision.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (decision.status == 503) response.headers.emplace_back("Retry-After", "1");
  co_return response;
}

size_t Exchange::most_body() const {
  // A small body is accepted, and ignored, by a route that needs none.
  constexpr size_t kMostUnneeded = 4096;
  const size_t most = core_.options.limits.request.body;
  return match_.route != nullptr && !match_.route->request.schema.empty() ? most : std::min(most, kMostUnneeded);
}

ApiResponse Exchange::of_the_server() {
  const std::string_view path = match_.route->path;
  if (path == "/readyz" && core_.ending) return busy("the server is ending");
  if (path == "/readyz") return {.content_type = std::string(service::kText), .body = "ok\n"};
  core_.metrics.in_flight = core_.sessions->in_flight;
  core_.metrics.connections = core_.sessions->size();
  return {.content_type = "text/plain; version=0.0.4", .body = core_.metrics.text(core_.log.dropped())};
}

asio::awaitable<ApiResponse> Exchange::record_report(ApiResponse response) {
  const service::NodeReport& report = *response.report;
  if (core_.results.full()) co_return busy("too many results are being recorded");
  if (!core_.report_limit.take(report.node, Clock::now())) {
    ApiResponse refused = service::refuse(429, Error("the node has reported too often"));
    refused.headers.emplace_back("Retry-After", "10");
    co_return refused;
  }
  const Deadline deadline(std::min(latest(), Clock::now() + kRecordTime));
  const bool joined = !is_bootstrap_user(user_);
  const std::optional<Recorded> done =
      co_await core_.results.run([&] { return record_result(core_.cluster, report, joined, deadline); }, deadline.at());
  const Recorded recorded = done.value_or(Recorded{503, Deadline::error().what});
  // Counted even if the rest failed: the node sends the report again, and then it is not new.
  if (recorded.is_new) core_.metrics.node_reported(report.exit_code, report.step, failure_class(report.exit_code));
  if (recorded.status == 0) co_return response;
  core_.report_limit.give_back(report.node, Clock::now());
  co_return recorded.status == 503 ? busy(recorded.why) : service::refuse(recorded.status, Error(recorded.why));
}

asio::awaitable<ApiResponse> Exchange::respond(const RequestReader& reader) {
  ApiRequest request = service::request_of(reader.method(), reader.target(), reader.body());
  if (match_.route->handler == nullptr) {
    auto refused = service::refuse_query(*match_.route, request.query);
    co_return refused ? *std::move(refused) : of_the_server();
  }
  // Public routes need no work, and they must be served even if all workers are busy.
  if (match_.route->caller == service::Caller::kAnyone) co_return service::call(match_, std::move(request));
  if (core_.workers.full()) co_return busy("too many requests are being answered");
  const InFlight in_flight(core_.sessions);
  std::optional<ApiResponse> response = co_await core_.workers.run(
      [&] {
        request.deadline =
            Deadline(std::min({latest(), Clock::now() + core_.options.limits.work_time, core_.end_of_work.load()}));
        return service::call(match_, std::move(request));
      },
      latest());
  if (!response) co_return busy("the request waited too long");
  if (response->report) response = co_await record_report(*std::move(response));
  co_return *std::move(response);
}

void Exchange::record(std::string_view peer, std::string_view method, int status, size_t received, size_t sent) {
  const Clock::duration time = Clock::now() - began_;
  const std::string_view route = match_.route != nullptr ? match_.route->path : "none";
  core_.metrics.request_ended(route, method, status, time);
  if (!core_.options.log_requests) return;
  // The path and the query are not logged, because they contain arbitrary text from the client; the route is enough.
  log_line(core_, fmt::format(R"("message":"request","id":"{}","peer":{},"user":{},"method":{},"route":{},"status":{},)"
                              R"("received":{},"sent":{},"milliseconds":{:.3f})",
                              id_, json_string(peer, JsonEscapes::kText), json_string(user_, JsonEscapes::kText),
                              json_string(method.substr(0, kLongestId), JsonEscapes::kText), json_string(route), status,
                              received, sent, std::chrono::duration<double, std::milli>(time).count()));
}

}  // namespace sunup::server
