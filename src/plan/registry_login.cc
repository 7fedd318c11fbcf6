// Logs in to the registry of a network-isolated cluster with the identity of the node pool. The result is the file that
// pulls read (plan/registry_login.h). Tokens do not appear in logs, arguments or facts.
#include "plan/registry_login.h"

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/exit_code.h"
#include "base/json_member.h"
#include "base/secret.h"
#include "base/url.h"
#include "plan/subjects.h"
#include "render/cloud.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::json;

std::string registry(const Subject& s) {
  const std::string& server = s.config.bootstrap_profile_container_registry_server();
  return server.substr(0, server.find('/'));
}

// Whether the registry allows anonymous access. If it does, no login is needed.
Task<Result<bool>> is_open(Context& c, std::string host) {
  host::HttpRequest list;
  list.url = "https://" + host + "/v2/_catalog";
  list.limit = 60s;
  auto shown = co_await c.host.network.request(std::move(list));
  if (!shown) co_return std::move(shown).error().in("registry " + host).with_code(exit_code::kOrasPullNetworkTimeout);
  if (shown->status == 200) co_return true;
  if (shown->status == 401 || shown->status == 403) co_return false;
  co_return Error("registry " + host + ": HTTP status " + std::to_string(shown->status))
      .with_code(exit_code::kOrasPullNetworkTimeout);
}

Task<Result<Secret>> identity_token(Context& c, std::string resource, std::string client) {
  host::HttpRequest request;
  request.url = "http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&resource=" +
                percent_encoded(resource) + "&client_id=" + percent_encoded(client);
  request.headers.emplace_back("Metadata", "true");
  request.limit = 30s;
  auto reply = co_await c.host.network.request(std::move(request));
  if (!reply)
    co_return std::move(reply).error().in("token of the node's identity").with_code(exit_code::kOrasImdsTimeout);
  if (reply->status != 200)
    co_return Error("token of the node's identity: HTTP status " + std::to_string(reply->status))
        .with_hint("check that the kubelet identity is assigned to the scale set")
        .with_code(exit_code::kOrasImdsTimeout);
  std::string token = text_of(Json::parse(reply->body, nullptr, false), "access_token");
  if (token.empty())
    co_return Error("token of the node's identity: the response contains none").with_code(exit_code::kOrasImdsTimeout);
  co_return Secret(std::move(token));
}

Task<Result<Secret>> refresh_token(Context& c, std::string host, std::string tenant, Secret identity) {
  host::HttpRequest request;
  request.url = "https://" + host + "/oauth2/exchange";
  request.method = "POST";
  request.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
  request.body = "grant_type=access_token&service=" + percent_encoded(host) + "&tenant=" + percent_encoded(tenant) +
                 "&access_token=" + percent_encoded(identity.reveal());
  request.limit = 30s;
  auto reply = co_await c.host.network.request(std::move(request));
  if (!reply) co_return std::move(reply).error().in("registry " + host).with_code(exit_code::kOrasPullNetworkTimeout);
  std::string token = text_of(Json::parse(reply->body, nullptr, false), "refresh_token");
  if (reply->status != 200 || token.empty())
    co_return Error("registry " + host + " gave no token: HTTP status " + std::to_string(reply->status))
        .with_hint("check that the kubelet identity may pull from it (AcrPull)")
        .with_code(exit_code::kOrasPullUnauthorized);
  co_return Secret(std::move(token));
}

Task<Result<Secret>> exchanged_token(Context& c, SubjectPtr s, std::string audience) {
  const auto& identity = s->config.auth_config();
  auto token = co_await identity_token(c, std::move(audience), identity.assigned_identity_id());
  if (!token) co_return std::move(token).error();
  co_return co_await refresh_token(c, registry(*s), identity.tenant_id(), *std::move(token));
}

Task<Result<void>> log_in(Context& c, SubjectPtr s) {
  if (s->files_only) co_return c.leave_out("log in to " + registry(*s));
  const std::string host = registry(*s);
  auto open = co_await is_open(c, host);
  if (!open) co_return std::move(open).error();
  if (*open) {
    c.note(host + " allows anonymous access");
    co_return Result<void>();
  }
  // Some clouds and registries do not know the audience of the container registry service.
  std::string audience = "https://containerregistry.azure.net";
  auto refresh = co_await exchanged_token(c, s, audience);
  if (!refresh) {
    c.note(refresh.error().what + "; trying the resource manager's audience");
    const std::string* sent = s->facts.sent_text("ARM_RESOURCE_ENDPOINT");
    audience = sent ? *sent
                    : render::arm_endpoint(render::azure_cloud(s->config),
                                           s->config.custom_cloud_config().custom_env_json_content());
    const bool refused = refresh.error().code == exit_code::kOrasPullUnauthorized;
    auto other = co_await exchanged_token(c, s, audience);
    // If the first attempt was refused with a permission error, report that error, whatever the result of the second
    // attempt.
    if (other || !refused) refresh = std::move(other);
  }
  if (!refresh) co_return std::move(refresh).error();
  if (!may_read(refresh->reveal()))
    co_return Error("the node's identity may not pull from " + host)
        .with_hint("give the kubelet identity the role AcrPull on the registry")
        .with_code(exit_code::kOrasPullUnauthorized);
  Json login;
  login["auths"][host]["identitytoken"] = std::string(refresh->reveal());
  co_return c.host.files.write(kRegistryLogin, login.dump() + "\n", 0600);
}

std::vector<FileEffect> login_file(const Subject& s) {
  if (s.files_only) return {};
  return {{kRegistryLogin, 0600}};
}

}  // namespace

bool logs_in(const Subject& s) {
  return !registry(s).empty() && !s.config.auth_config().assigned_identity_id().empty() &&
         !s.config.auth_config().tenant_id().empty();
}

bool may_read(std::string_view refresh_token) {
  const size_t from = refresh_token.find('.');
  if (from == std::string_view::npos) return true;  // not a JWT: the permissions are unknown
  std::string payload(refresh_token.substr(from + 1, refresh_token.find('.', from + 1) - from - 1));
  for (char& c : payload) c = c == '-' ? '+' : c == '_' ? '/' : c;
  while (payload.size() % 4 != 0) payload += '=';
  const Json claims = Json::parse(base64_decode(payload).value_or(""), nullptr, false);
  if (!claims.is_object() || !claims.contains("permissions")) return true;
  const Json& permissions = claims["permissions"];
  if (!permissions.is_object() || !permissions.contains("actions") || !permissions["actions"].is_array()) return false;
  for (const Json& action : permissions["actions"])
    if (action == "read") return true;
  return false;
}

Declarations registry_login_steps() {
  return {
      {.name = "registry.login",
       .purpose =
           "logs in to the cluster's registry with the identity of the node pool, unless it allows anonymous access",
       .original = "B15",
       .task = "AKS.CSE.orasLogin.oras_login_with_kubelet_identity",
       .when = "the cluster is isolated, and the config names an identity and its tenant",
       .wanted = logs_in,
       .phase = node::Phase::kBasePrep,
       .files = login_file,
       .deadline = 300s,
       .retry = {.attempts = 10, .pause = 1s, .longest_pause = 15s},
       .exit_code = exit_code::kOrasPullNetworkTimeout,
       .body = log_in},
  };
}

}  // namespace sunup::plan
