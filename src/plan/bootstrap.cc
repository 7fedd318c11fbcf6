// Checks the bootstrap token in parallel with kubelet, which uses the token by itself. kubelet retries forever if the
// cluster refuses the token; this check makes provisioning fail with the reason instead. The outcome is also written to
// kubelet's journal, where people and programs look for it (docs/decisions/0003-kubelet-prestart.md).
#include "base/exit_code.h"
#include "base/node_paths.h"
#include "base/validity.h"
#include "plan/subjects.h"
#include "render/node/credentials.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

// Not the kubeconfig: a kubelet that rotates its certificates writes that file immediately, even if it never gets a
// certificate.
constexpr auto& kOwnCertificate = paths::kClientCertificate;
constexpr int kTries = 30;

bool has_token(const Subject& s) {
  return !s.config.bootstrapping_config().tls_bootstrapping_token().empty() &&
         !s.config.api_server_config().api_server_name().empty();
}

bool says_credentials(const Subject& s) {
  return !s.files_only && (has_token(s) || node::secure_tls_bootstrapping(s.config));
}

// Root may write log messages for another unit: `journalctl -u kubelet` shows them.
Task<Result<void>> tell_kubelets_journal(Context& c, std::string text) {
  c.note(text);
  std::string entry =
      "MESSAGE=" + text + "\nPRIORITY=6\nSYSLOG_IDENTIFIER=aks-node-controller\nOBJECT_SYSTEMD_UNIT=kubelet.service\n";
  co_return co_await c.host.network.send("/run/systemd/journal/socket", std::move(entry));
}

Task<Result<host::HttpReply>> ask_with_token(Context& c, SubjectPtr s) {
  host::HttpRequest request;
  request.url = render::node::api_server_url(s->config) + "/version?timeout=5s";
  request.headers.emplace_back("Authorization", "Bearer " + s->config.bootstrapping_config().tls_bootstrapping_token());
  request.ca_file = paths::kClusterCa;
  request.limit = 5s;
  co_return co_await c.host.network.request(std::move(request));
}

// An empty result means that the token is valid. Otherwise the result describes the response.
Task<std::string> try_token(Context& c, SubjectPtr s) {
  auto reply = co_await ask_with_token(c, s);
  if (!reply) co_return reply.error().what;
  if (reply->status < 200 || reply->status > 399) co_return "HTTP status " + std::to_string(reply->status);
  co_return std::string();
}

Task<Result<void>> check_token(Context& c, SubjectPtr s) {
  if (!has_token(*s)) {  // the secure bootstrap client provides the credentials
    if (auto there = co_await c.host.watch.path_appears(paths::kKubeconfig); !there) co_return there;
    co_return co_await tell_kubelets_journal(c, "client credential already exists within kubeconfig");
  }
  std::string wrong;
  for (int i = 0; i < kTries; ++i) {
    const auto there = c.host.files.exists(paths::kKubeconfig);
    if (!there) co_return there.error();
    if (*there) co_return co_await tell_kubelets_journal(c, "client credential already exists within kubeconfig");
    wrong = co_await try_token(c, s);
    if (wrong.empty()) co_return co_await tell_kubelets_journal(c, "kubelet bootstrap token credential is valid");
    // If kubelet obtains its credentials during the pause, the check is done.
    (void)co_await host::within(c.host.loop, 2s, c.host.watch.path_appears(paths::kKubeconfig), "kubeconfig");
  }
  co_return co_await tell_kubelets_journal(c, "unable to validate bootstrap credentials: " + wrong);
}

// The control plane may create the token a moment after the node, so a refusal is final only after several attempts. A
// kubelet that has its own certificate no longer needs the token.
Task<Result<void>> have_token_accepted(Context& c, SubjectPtr s) {
  const auto there = c.host.files.exists(kOwnCertificate);
  if (!there) co_return there.error();
  if (*there) co_return Result<void>();
  auto reply = co_await ask_with_token(c, s);
  if (!reply) co_return std::move(reply).error();
  if (reply->status != 401) co_return Result<void>();
  co_return Error(kTokenRefused).with_hint(kTokenHint);
}

bool uses_token(const Subject& s) {
  return !s.files_only && has_token(s);
}

}  // namespace

Declarations bootstrap_steps() {
  return {
      {.name = "apiserver.token",
       .purpose = "checks that the API server accepts the bootstrap token",
       .original = "-",
       .when = "the config has a bootstrap token",
       .wanted = uses_token,
       .needs = {"apiserver.reach"},
       .after = {"kubelet.started"},
       .deadline = 180s,
       .retry = {.attempts = 30, .pause = 1s, .longest_pause = 2s, .each = 15s},
       .exit_code = exit_code::kK8sApiServerConnFail,
       .body = have_token_accepted},
      {.name = "bootstrap.token",
       .purpose = "checks the bootstrap token in parallel with kubelet, and logs the outcome in kubelet's journal",
       .original = "N23",
       .task = "AKS.Runtime.validateKubeletCredentials",
       .when = "the config has a bootstrap token, or secure TLS bootstrapping",
       .wanted = says_credentials,
       .needs = {"kubelet.started"},
       .deferred = true,
       .deadline = 240s,
       .fatal = false,
       .body = check_token},
  };
}

}  // namespace sunup::plan
