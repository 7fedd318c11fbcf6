// Connectivity checks. They run in parallel with kubelet's start and never before it, because kubelet retries by
// itself. A node that cannot reach its endpoints must nevertheless not be reported as provisioned.
#include <algorithm>

#include "base/exit_code.h"
#include "base/node_paths.h"
#include "base/text.h"
#include "base/url.h"
#include "contract/formats.h"
#include "plan/kubelet_health.h"
#include "plan/subjects.h"
#include "render/node/outbound_check.h"
#include "render/node/proxy.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

struct Endpoint {
  std::string host;
  uint16_t port = 443;
};

// Parses an http(s) URL.
Endpoint endpoint_of(std::string_view url) {
  Endpoint end;
  const auto parts = split_url(url);
  if (!parts) return end;
  if (equal_ignoring_case(parts->scheme, "http")) end.port = 80;
  end.host = parts->host;
  const int64_t port = as_number<int64_t>(parts->port.value_or("")).value_or(0);
  if (port > 0 && port < 65536) end.port = static_cast<uint16_t>(port);
  return end;
}

// Where this distribution stores its trusted certificate authorities.
Result<std::string> authorities(host::Files& files) {
  for (const char* bundle : host::kAuthorityBundles) {
    const auto there = files.exists(bundle);
    if (!there) return there.error();
    if (*there) return std::string(bundle);
  }
  return std::string(host::kAuthorityBundles[0]);
}

bool checks_outbound(const Subject& s) {
  return !s.config.outbound_command().empty();
}

Result<void> knows_outbound_command(const Subject& s) {
  const auto check = node::outbound_check(s.config.outbound_command());
  return check ? Result<void>() : check.error();
}

Task<Result<void>> check_outbound(Context& c, SubjectPtr s) {
  auto check = node::outbound_check(s->config.outbound_command());
  if (!check) co_return std::move(check).error();
  if (!*check) co_return Result<void>();
  if (s->files_only) co_return c.leave_out("check outbound access");
  if (node::has_proxy(s->config)) {
    // The proxy makes the outbound connections, so the node can only be required to reach the proxy.
    const auto& proxy = s->config.http_proxy_config();
    const Endpoint way = endpoint_of(proxy.https_proxy().empty() ? proxy.http_proxy() : proxy.https_proxy());
    auto reached = co_await c.host.network.connects(way.host, way.port);
    co_return reached;
  }
  const Endpoint end = endpoint_of((*check)->url);
  if ((*check)->url.starts_with("http://")) co_return co_await c.host.network.connects(end.host, end.port);
  const auto ca = (*check)->verifies_certificate ? authorities(c.host.files) : std::string();
  if (!ca) co_return ca.error();
  if (auto peer = co_await c.host.network.handshakes(end.host, end.port, *ca); !peer) co_return std::move(peer).error();
  co_return Result<void>();
}

// Facts of the two steps below: if an earlier attempt failed, the start of the latest attempt in microseconds since
// boot; "0" if none failed.
constexpr char kNameTried[] = "apiserver.name_tried";
constexpr char kServerTried[] = "apiserver.tried";

// Called at the start of an attempt. If there was an attempt before, it failed or was interrupted at most a second ago.
Result<void> note_attempt(Context& c, const std::string& tried) {
  const bool again = c.given().contains(tried);
  return c.give(tried, again ? std::to_string(c.host.loop.now().time_since_epoch() / 1us) : "0");
}

uint64_t retried_at(const Context& c, const char* tried) {
  return std::strtoull(c.fact(tried).value_or("0").c_str(), nullptr, 10);
}

std::string server(const Subject& s) {
  return std::string(without_brackets(s.config.api_server_config().api_server_name()));
}

bool looks_up_server(const Subject& s) {
  return !server(s).empty() && !contract::is_ip(server(s)) && !s.config.enable_hosts_config_agent();
}

Task<Result<void>> look_up_server(Context& c, SubjectPtr s) {
  if (auto noted = note_attempt(c, kNameTried); !noted) co_return noted;
  if (s->files_only) co_return c.leave_out("look up " + server(*s));
  auto found = co_await c.host.network.lookup(server(*s));
  if (found) co_return Result<void>();
  Error error = std::move(found).error();
  // Azure's own resolver has a separate code, because the customer cannot repair it. If resolv.conf cannot be read, the
  // code for any other resolver is used, and the step fails with the reason of the lookup.
  const auto servers = c.host.files.read("/etc/resolv.conf");
  const bool azure = servers.ok() && servers->find("168.63.129.16") != std::string::npos;
  error.code = azure ? 53 : 52;
  co_return std::move(error).with_hint("check that the node's DNS server knows " + server(*s));
}

// The name of a private cluster becomes resolvable with its DNS zone, which may be minutes after the node exists.
bool is_private(const Subject& s) {
  return server(s).find(".privatelink.") != std::string::npos;
}

void lookup_patience(const Subject& s, engine::Step& step) {
  step.deadline = is_private(s) ? 600s : 300s;
  step.retry = {.attempts = 600, .pause = 1s, .longest_pause = 1s, .each = 15s};
}

// The original pauses a second after each attempt. Here the second counts from the start of an attempt, so that the
// server is looked for while it may appear at any moment: an attempt at an address that no machine has takes the kernel
// three seconds. The step must not give up earlier than the original, so it makes a third more attempts: after three
// seconds each and no pause they take as long as the original's.
void reach_patience(const Subject& s, engine::Step& step) {
  const bool literal = contract::is_ip(server(s));
  const int originals = literal ? 301 : is_private(s) ? 69 : 35;
  const Duration each = literal ? 10s : 15s;
  step.deadline = originals * (each + 1s);
  step.retry = {
      .attempts = (originals * 4 + 2) / 3, .pause = 1s, .longest_pause = 1s, .from_start = true, .each = each};
}

bool reaches_server(const Subject& s) {
  return !server(s).empty();
}

Task<Result<void>> reach_server(Context& c, SubjectPtr s) {
  if (auto noted = note_attempt(c, kServerTried); !noted) co_return noted;
  if (s->files_only) co_return c.leave_out("reach " + server(*s));
  if (contract::is_ip(server(*s))) co_return co_await c.host.network.connects(server(*s), 443);
  auto peer = co_await c.host.network.handshakes(server(*s), 443, paths::kClusterCa);
  if (!peer) {
    Error error = std::move(peer).error();
    if (!error.hint.empty()) co_return error;
    co_return std::move(error).with_hint("is the way to " + server(*s) +
                                         ":443 open, and is its certificate the cluster's?");
  }
  co_return Result<void>();
}

bool bootstraps_itself(const Subject& s) {
  return reaches_server(s) && !s.files_only && !s.config.bootstrapping_config().tls_bootstrapping_token().empty();
}

// kubelet increases the pauses between two requests for its certificate, so it may still wait for half a minute after
// the API server has become reachable. A restarted kubelet sends its request immediately.
Task<Result<void>> start_again(Context& c, SubjectPtr) {
  const uint64_t retried = std::max(retried_at(c, kNameTried), retried_at(c, kServerTried));
  if (retried == 0) co_return Result<void>();
  const auto certified = c.host.files.exists(paths::kClientCertificate);
  if (!certified) co_return certified.error();
  if (*certified) co_return Result<void>();
  auto state = co_await c.host.units.state(kKubelet);
  if (!state) co_return std::move(state).error();
  // If the server was reachable again before kubelet started, kubelet did not wait for it.
  if (!state->is_active() || retried < state->active_since_us) co_return Result<void>();
  c.note("the API server was late and kubelet has no certificate yet: restarting kubelet");
  co_return co_await c.host.units.restart(kKubelet);
}

}  // namespace

Declarations check_steps() {
  return {
      {.name = "network.outbound",
       .purpose = "checks that the node can reach the registry that it pulls images from",
       .original = "N10",
       .when = "the config asks for the check",
       .wanted = checks_outbound,
       .possible = knows_outbound_command,
       .after = {"kubelet.load"},
       .deadline = 320s,
       .retry = {.attempts = 20, .pause = 1s, .longest_pause = 1s, .each = 15s},
       .exit_code = exit_code::kOutboundConnFail,
       .body = check_outbound},
      {.name = "apiserver.lookup",
       .purpose = "checks that the API server's name has an address",
       .original = "N20",
       .task = "AKS.CSE.apiserverNslookup",
       .when = "the API server has a name that no agent writes to /etc/hosts",
       .wanted = looks_up_server,
       .after = {"kubelet.load", "localdns.start"},
       .provides = {kNameTried},
       .patience = lookup_patience,
       .exit_code = exit_code::kK8sApiServerDnsLookupFail,
       .body = look_up_server},
      {.name = "apiserver.reach",
       .purpose = "checks that the API server responds with the cluster's certificate",
       .original = "N20",
       .task = "AKS.CSE.apiserverCurl",
       .when = "the config names an API server",
       .wanted = reaches_server,
       .needs = {"identity.certificates"},
       .after = {"apiserver.lookup"},
       .provides = {kServerTried},
       .patience = reach_patience,
       .exit_code = exit_code::kK8sApiServerConnFail,
       .body = reach_server},
      {.name = "kubelet.again",
       .purpose = "restarts kubelet if the API server became available after its first attempt, which avoids kubelet's "
                  "back-off",
       .original = "-",
       .when = "kubelet gets its certificate with a bootstrap token",
       .wanted = bootstraps_itself,
       .needs = {"kubelet.started", kServerTried},
       .after = {kNameTried, "kubelet.health"},
       .units = {kKubelet},
       .deadline = 120s,
       .fatal = false,
       .body = start_again},
  };
}

}  // namespace sunup::plan
