#include "announce/announce.h"

#include <cerrno>
#include <chrono>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/utf8.h"
#include "host/running.h"
#include "report/kvp.h"

namespace sunup::announce {
namespace {

using host::Task;

constexpr int kPoolAttempts = 10;
constexpr std::chrono::milliseconds kPoolPause(50);

// The kernel accepts writes of at most LOG_LINE_MAX (976 bytes, less on some kernels) and rejects longer ones.
constexpr size_t kKernelLine = 900;

// Each line is a record of the kernel's log. Level 3 (error) is printed on a quiet console too. If one line is
// rejected, the others are still written.
Result<void> to_console(host::Files& files, const std::string& text) {
  Result<void> first_trouble;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string line = fitting("<3>aks-node-controller: " + std::string(take_until(rest, '\n')), kKernelLine);
    if (auto written = files.write_in_place(kKernelLog, line + "\n"); !written && first_trouble)
      first_trouble = std::move(written);
  }
  return first_trouble;
}

// A reader of the pool uses one value per key, so each failure of a boot needs its own key. The time since boot
// distinguishes and orders them.
std::string pool_key(const Listeners& listeners) {
  const host::Duration up = listeners.loop.now().time_since_epoch();
  return "AKS_NODE_PROVISION|failure|" + listeners.boot_id + "|" + std::to_string(up.count());
}

// The daemon that sends the pool to the host locks it from time to time.
Task<Result<void>> to_hypervisor(Listeners listeners, std::string text) {
  const std::string record = report::kvp_record(pool_key(listeners), text);
  for (int attempt = 1;; ++attempt) {
    Result<void> written = listeners.files.append_locked(report::kKvpPool, record);
    if (written || written.error().os_errno != EWOULDBLOCK || attempt == kPoolAttempts) co_return written;
    co_await listeners.loop.after(kPoolPause);
  }
}

Task<Result<void>> to_webhook(host::Network& network, host::Duration limit, std::string url, std::string body) {
  host::HttpRequest request;
  request.method = "POST";
  request.url = std::move(url);
  request.headers.emplace_back("Content-Type", "application/json");
  request.body = std::move(body);
  request.limit = limit;
  request.max_body = 64u << 10;
  Result<host::HttpReply> reply = co_await network.request(std::move(request));
  // The error may name the URL, and a webhook's URL is a credential.
  if (!reply) co_return Error("no answer");
  if (reply->status / 100 != 2) co_return Error("answered " + std::to_string(reply->status));
  co_return Result<void>();
}

}  // namespace

Result<std::string> webhook_of(std::string_view settings) {
  const auto document = nlohmann::json::parse(settings, nullptr, false);
  if (!document.is_object()) return Error(std::string(kReportSettings) + " is not a JSON object");
  const auto found = document.find("webhook");
  if (found == document.end() || found->is_null()) return std::string();
  if (!found->is_string() || !found->get_ref<const std::string&>().starts_with("https://"))
    return Error(std::string(kReportSettings) + ": webhook is not an https URL");
  return found->get<std::string>();
}

Task<std::vector<Told>> announce_failure(Listeners listeners, report::Failure failure) {
  std::vector<Told> told;
  const std::string text = report::failure_text(failure);
  // If the path cannot be examined, sending is attempted; a failure is reported.
  if (const auto there = listeners.files.exists(kKernelLog); !there || *there)
    told.push_back(Told{.listener = "serial console", .result = to_console(listeners.files, text)});
  if (const auto there = listeners.files.exists(report::kKvpPool); !there || *there) {
    Result<void> pool = co_await to_hypervisor(listeners, text);
    told.push_back(Told{.listener = "hypervisor", .result = std::move(pool)});
  }
  const auto settings = listeners.files.read_if_there(kReportSettings);
  if (settings && (!*settings || listeners.network == nullptr)) co_return told;
  const auto url = settings ? webhook_of(**settings) : Result<std::string>(settings.error());
  if (!url) {
    told.push_back(Told{.listener = "webhook", .result = url.error()});
  } else if (!url->empty()) {
    std::string body = report::failure_json(failure);
    Result<void> answer = co_await to_webhook(*listeners.network, listeners.webhook_limit, *url, std::move(body));
    told.push_back(Told{.listener = "webhook", .result = std::move(answer)});
  }
  co_return told;
}

}  // namespace sunup::announce
