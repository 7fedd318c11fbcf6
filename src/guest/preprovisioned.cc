#include "guest/preprovisioned.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "azure/xml.h"
#include "base/text.h"
#include "guest/azure_vm.h"
#include "guest/health.h"
#include "host/running.h"

namespace sunup::guest {
namespace {

using namespace std::chrono_literals;
using host::Task;

constexpr char kRunning[] = "Running";
constexpr char kSavable[] = "Savable";
constexpr char kReprovisionData[] = "http://169.254.169.254/metadata/reprovisiondata?api-version=2019-06-01";
constexpr host::Duration kShortestPause = 100ms;
constexpr host::Duration kLongestPause = 5s;
constexpr host::Duration kReportAgainAfter = 30s;

// Watches the network interface of the default route until the network has been replaced; all interfaces if there is no
// such route. Its state is kept if a wait is cancelled. Other interfaces, such as the virtual function of an
// accelerated network, come and go by themselves.
class Replacement {
 public:
  Replacement(std::unique_ptr<host::LinkChanges> changes, bool of_card, std::string interface)
      : changes_(std::move(changes)), of_card_(of_card), interface_(std::move(interface)) {}

  Task<Result<void>> wait() {
    while (!done_) {
      const auto change = co_await changes_->next();
      // The expected change may be among those that were lost. Asking for the data too early is harmless.
      if (!change && change.error().os_errno != ENOBUFS) co_return change.error();
      done_ = !change || completes(*change);
    }
    co_return Result<void>();
  }

 private:
  bool completes(const host::LinkChange& change) {
    const bool goes = of_card_ ? !change.there : !change.up;
    if (goes && (interface_.empty() || change.name == interface_)) gone_.insert(change.name);
    // The new card may have another name.
    return change.up && (of_card_ ? !gone_.empty() : gone_.contains(change.name));
  }

  std::unique_ptr<host::LinkChanges> changes_;
  const bool of_card_;
  const std::string interface_;
  std::set<std::string> gone_;
  bool done_ = false;
};

// The interface of the default route; empty if there is none. It carries the report.
Result<std::string> main_interface(host::Files& files) {
  constexpr uint64_t kLongestTable = 1 << 20;
  const auto table = files.read_if_there("/proc/net/route", kLongestTable);
  if (!table) return table.error();
  if (!*table) return std::string();
  for (const std::string_view line : split(**table, '\n')) {
    const auto fields = words(line);
    if (fields.size() > 7 && fields[1] == "00000000" && fields[7] == "00000000") return std::string(fields[0]);
  }
  return std::string();
}

using Document = std::optional<std::string>;

// Empty if there is no data yet. An error if the service cannot be reached or fails.
Task<Result<Document>> ask_for_data(host::Host& host) {
  host::HttpRequest request;
  request.url = kReprovisionData;
  request.headers.emplace_back("Metadata", "true");
  request.limit = 5s;
  request.max_body = azure::kLargestXml;
  auto reply = co_await host.network.request(std::move(request));
  if (!reply) co_return std::move(reply).error().in("metadata service");
  if (reply->status == 404 || reply->status == 410) co_return Document();
  if (reply->status != 200)
    co_return Error("metadata service: it answers with status " + std::to_string(reply->status));
  co_return Document(std::move(reply->body));
}

// The service has no event for new data, so this retries, with growing pauses.
Task<Result<std::string>> data_when_it_comes(host::Host& host, Note note) {
  std::string noted;
  for (host::Duration pause = kShortestPause;; pause = std::min(2 * pause, kLongestPause)) {
    auto answer = co_await ask_for_data(host);
    if (answer && *answer) co_return **std::move(answer);
    if (!answer && std::exchange(noted, answer.error().what) != answer.error().what)
      note(answer.error().what + "; trying again");
    co_await host.loop.after(pause);
  }
}

Task<Result<void>> report_and_note(host::Host& host, Pool pool, Note note) {
  HealthOptions options{.limit = pool.report_limit, .note = std::move(note)};
  Result<void> reported = co_await report_health(host, std::move(pool.report), std::move(options));
  co_return reported ? pool.reported() : reported;
}

// True when the platform has accepted the report and replaced the network. False if the network was replaced before the
// reply arrived, so that it is not known whether the report was accepted.
Task<Result<bool>> report_until_replaced(host::Host& host, Pool pool, Replacement& replacement, Note note) {
  auto reporting = report_and_note(host, std::move(pool), std::move(note));
  auto first = co_await host::first_of(host.loop, std::move(reporting), replacement.wait());
  if (first.index() == 1) co_return std::get<1>(first) ? Result<bool>(false) : std::move(std::get<1>(first)).error();
  if (!std::get<0>(first)) co_return std::move(std::get<0>(first)).error();
  Result<void> replaced = co_await replacement.wait();
  co_return replaced ? Result<bool>(true) : std::move(replaced).error();
}

Task<Result<void>> report_later(host::Host& host, Pool pool, Note note) {
  co_await host.loop.after(kReportAgainAfter);
  co_return co_await report_and_note(host, std::move(pool), std::move(note));
}

// After a report of which it is not known whether it was accepted. If it was, the data comes; a second report could
// then count for the VM that this one has become, so there is none before some time has passed without data.
Task<Result<std::string>> data_or_report(host::Host& host, Pool pool, Note note) {
  auto reported = report_later(host, std::move(pool), note);
  auto first = co_await host::first_of(host.loop, std::move(reported), data_when_it_comes(host, note));
  if (first.index() == 1) co_return std::move(std::get<1>(first));
  if (!std::get<0>(first)) co_return std::move(std::get<0>(first)).error();
  co_return co_await data_when_it_comes(host, std::move(note));
}

Task<Result<std::string>> data_of_pool(host::Host& host, Pool pool, Note note) {
  // The network of this boot must not be mistaken for the one that replaces it.
  if (const auto connected = co_await host.watch.any_address(); !connected) co_return connected.error();
  auto interface = main_interface(host.files);
  if (!interface) co_return std::move(interface).error();
  // Subscribe before any request or report, so that no change is missed.
  auto changes = host.watch.link_changes();
  if (!changes) co_return std::move(changes).error();
  Replacement replacement(*std::move(changes), pool.type == kSavable, *std::move(interface));
  auto answer = co_await ask_for_data(host);
  if (answer && *answer) co_return **std::move(answer);
  // If an earlier process has sent the report, the network may already have been replaced.
  if (pool.has_reported) co_return co_await data_when_it_comes(host, std::move(note));
  if (pool.may_have_reported) co_return co_await data_or_report(host, std::move(pool), std::move(note));
  const auto accepted = co_await report_until_replaced(host, pool, replacement, note);
  if (!accepted) co_return accepted.error();
  if (!*accepted) co_return co_await data_or_report(host, std::move(pool), std::move(note));
  co_return co_await data_when_it_comes(host, std::move(note));
}

}  // namespace

bool is_known_pool(std::string_view type) {
  return type == kRunning || type == kSavable || type == kPoolOfDisks;
}

Task<Result<ProvisioningData>> wait_until_given_away(host::Host& host, Pool pool, Note note) {
  const auto firmware_id = vm_id(host.files);
  if (!firmware_id) co_return firmware_id.error();
  if (pool.type == kPoolOfDisks) {
    Result<void> reported = co_await report_and_note(host, std::move(pool), std::move(note));
    if (!reported) co_return std::move(reported).error();
    const host::Slot<bool> never(host.loop);
    co_await never;
  }
  const host::Duration metadata = pool.metadata;
  const auto text = co_await data_of_pool(host, std::move(pool), note);
  if (!text) co_return text.error();
  const auto environment = azure::read_ovf_env(*text);
  if (!environment) co_return environment.error().in("data of a pre-provisioned VM");
  const auto instance = co_await ask_metadata_service(host, metadata, note);
  if (!instance && instance.error().os_errno == 0) co_return instance.error();
  if (!instance) note("continuing with the data of the pool alone: " + instance.error().what);
  auto data = combined(&*environment, instance ? &*instance : nullptr, *firmware_id);
  if (!data) co_return data;
  data->environment.preprovisioned.clear();
  data->from = "pool";
  co_return data;
}

}  // namespace sunup::guest
