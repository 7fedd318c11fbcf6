#include "guest/health.h"

#include <algorithm>
#include <cerrno>

#include "azure/xml.h"
#include "host/running.h"
#include "report/kvp.h"

namespace sunup::guest {
namespace {

using namespace std::chrono_literals;
using host::Task;

constexpr char kPoolDevice[] = "/dev/vmbus/hv_kvp";  // exists on Hyper-V
constexpr int kPoolAttempts = 10;
constexpr auto kPoolPause = 50ms;
constexpr size_t kLargestAnswer = 64u << 10;

// The daemon that sends the pool to the host locks it from time to time.
Task<Result<void>> write_to_pool(host::Host& host, std::string line) {
  const auto there = host.files.exists(report::kKvpPool);
  if (!there) co_return there.error();
  if (!*there) {
    const auto device = host.files.exists(kPoolDevice);
    if (device && *device) co_return Error("its daemon has not created it, so the host does not get this report");
    co_return Result<void>();
  }
  const std::string record = report::kvp_record(azure::kProvisioningReportKey, line);
  for (int attempt = 1;; ++attempt) {
    Result<void> written = host.files.append_locked(report::kKvpPool, record);
    if (written || written.error().os_errno != EWOULDBLOCK || attempt == kPoolAttempts) co_return written;
    co_await host.loop.after(kPoolPause);
  }
}

Task<Result<std::string>> request(host::Host& host, host::HttpRequest request) {
  request.max_body = std::max(request.max_body, kLargestAnswer);
  auto reply = co_await host.network.request(std::move(request));
  if (!reply) co_return std::move(reply).error().in("wire server");
  if (reply->status != 200 && reply->status != 201 && reply->status != 202)
    co_return Error("wire server: it answers with status " + std::to_string(reply->status));
  co_return std::move(reply->body);
}

Task<Result<azure::GoalState>> goal_state(host::Host& host, host::Duration limit) {
  host::HttpRequest get;
  get.url = std::string(kWireServer) + "/machine/?comp=goalstate";
  get.headers = {{"x-ms-agent-name", "WALinuxAgent"}, {"x-ms-version", "2012-11-30"}};
  get.limit = limit;
  get.max_body = azure::kLargestXml;
  const auto body = co_await request(host, std::move(get));
  if (!body) co_return body.error();
  co_return azure::read_goal_state(*body);
}

Task<Result<void>> post(host::Host& host, std::string path, std::vector<std::pair<std::string, std::string>> headers,
                        std::string body, host::Duration limit) {
  host::HttpRequest post;
  post.method = "POST";
  post.url = kWireServer + std::move(path);
  post.headers = std::move(headers);
  post.body = std::move(body);
  post.limit = limit;
  if (auto answer = co_await request(host, std::move(post)); !answer) co_return std::move(answer).error();
  co_return Result<void>();
}

Task<Result<void>> report_once(host::Host& host, azure::Health health, std::string agent, host::Duration limit) {
  const auto goal = co_await goal_state(host, limit);
  Result<void> reported;
  if (goal) {
    reported = co_await post(host, "/machine?comp=health",
                             {{"x-ms-agent-name", "WALinuxAgent"},
                              {"x-ms-version", "2012-11-30"},
                              {"Content-Type", "text/xml;charset=utf-8"}},
                             azure::health_xml(*goal, health), limit);
    if (reported) co_return reported;
  } else {
    reported = goal.error();
  }
  Result<void> by_json =
      co_await post(host, "/provisioning/health",
                    {{"Content-Type", "application/json"}, {"User-Agent", agent}, {"x-ms-guest-agent-name", agent}},
                    azure::health_json(health), limit);
  co_return by_json ? by_json : reported;
}

}  // namespace

Task<Result<void>> report_health(host::Host& host, azure::ProvisioningReport report, HealthOptions options) {
  const std::string line = azure::provisioning_report(report);
  const auto pooled = co_await write_to_pool(host, line);
  if (!pooled && options.note) options.note("key-value pool: " + pooled.error().what);
  azure::Health health{.ready = report.reason.empty()};
  if (!health.ready) health = {.ready = false, .sub_status = "ProvisioningFailed", .description = line};
  const host::TimePoint end = host.loop.now() + options.limit;
  host::Duration pause = 100ms;
  for (bool first = true;; first = false) {
    Result<void> reported = co_await report_once(host, health, "Sunup/" + report.version, options.each);
    if (reported || host.loop.now() + pause >= end) co_return reported;
    if (first && options.note) options.note(reported.error().what + "; trying again");
    co_await host.loop.after(pause);
    pause = std::min(2 * pause, host::Duration(5s));
  }
}

}  // namespace sunup::guest
