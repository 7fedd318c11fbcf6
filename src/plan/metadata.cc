#include "plan/metadata.h"

#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/exit_code.h"
#include "plan/subjects.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

Task<Result<void>> learn_metadata(Context& c, SubjectPtr s) {
  if (s->facts.imds)
    co_return c.give(kMetadata, reduced_metadata(*s->facts.imds));  // from --metadata, or from bootstrap
  auto facts = co_await ask_metadata_service(c.host.network, 5s);
  if (!facts && facts.error().os_errno == ENOTSUP) {
    (void)c.leave_out("addresses, network cards, size and tags from the metadata service");
    co_return c.give(kMetadata, "");
  }
  facts = with_address(std::move(facts));
  if (!facts) co_return std::move(facts).error();
  co_return c.give(kMetadata, reduced_metadata(*facts));
}

std::vector<FileEffect> stale_answer(const Subject&) {
  return {{.path = "/opt/azure/containers/imds_instance_metadata_cache.json", .mode = 0}};
}

Task<Result<void>> drop_stale_answer(Context& c, SubjectPtr) {
  co_return c.host.files.remove("/opt/azure/containers/imds_instance_metadata_cache.json");
}

}  // namespace

Task<Result<node::ImdsFacts>> ask_metadata_service(host::Network& network, host::Duration limit) {
  host::HttpRequest request;
  request.url = kMetadataUrl;
  request.headers.emplace_back("Metadata", "true");
  request.limit = limit;
  auto reply = co_await network.request(std::move(request));
  if (!reply) co_return std::move(reply).error().in("instance metadata service");
  if (reply->status != 200) co_return Error("instance metadata service: HTTP status " + std::to_string(reply->status));
  co_return node::parse_imds(reply->body);
}

Result<node::ImdsFacts> with_address(Result<node::ImdsFacts> facts) {
  if (facts && facts->primary_ipv4().empty())
    return Error("instance metadata service: the response contains no address of this machine");
  return facts;
}

std::string reduced_metadata(const node::ImdsFacts& facts) {
  Json interfaces = Json::array();
  for (const node::NetworkInterface& nic : facts.interfaces) {
    Json card;
    std::string mac;
    for (const char c : nic.mac)
      if (c != ':') mac += c;
    card["macAddress"] = mac;
    for (const auto& [family, addresses] : {std::pair("ipv4", &nic.ipv4), std::pair("ipv6", &nic.ipv6)}) {
      Json list = Json::array();
      for (const std::string& address : *addresses) list.push_back(Json{{"privateIpAddress", address}});
      card[family]["ipAddress"] = list;
    }
    interfaces.push_back(card);
  }
  Json tags = Json::array();
  // Tags contain users' own texts, so only those that are used are kept.
  constexpr const char* kRead[] = {"SkipGpuDriverInstall",        "SkipBinaryCleanup",
                                   "ShouldEnforceKubePMCInstall", "E2EMockAzureChinaCloud",
                                   "EnableManagedGPUExperience",  "aks-disable-kubelet-serving-certificate-rotation"};
  for (const char* name : kRead)
    if (const auto value = facts.tag(name)) tags.push_back(Json{{"name", name}, {"value", *value ? "true" : "false"}});
  Json all;
  all["compute"]["vmSize"] = facts.vm_size;
  all["compute"]["tagsList"] = tags;
  all["network"]["interface"] = interfaces;
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Declarations metadata_steps() {
  return {
      {.name = kMetadata,
       .purpose = "queries the instance metadata service once: addresses, network cards, size, tags",
       .original = "B07, N03, N14",
       .task = "AKS.CSE.fetch_and_cache_imds_instance_metadata",
       .phase = node::Phase::kBoth,
       .deadline = 120s,
       .retry = {.attempts = 60, .pause = 100ms, .longest_pause = 2s, .each = 10s},
       .exit_code = exit_code::kImdsFetchFailed,
       .body = learn_metadata},
      {.name = "imds.old_answer",
       .purpose = "removes a response of the metadata service that was captured with the image",
       .original = "S2, F3",
       .phase = node::Phase::kBoth,
       .files = stale_answer,
       .deferred = true,
       .lasts = Lasts::kOnDisk,
       .fatal = false,
       .body = drop_stale_answer},
  };
}

}  // namespace sunup::plan
