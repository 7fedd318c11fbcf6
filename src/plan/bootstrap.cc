// Is the bootstrap token any good? A diagnosis beside kubelet, which tries it by itself; it decides nothing. What comes
// of it is said in kubelet's journal, where people and programs look for it (docs/decisions/0003-kubelet-prestart.md).
#include "plan/subjects.h"
#include "render/node/credentials.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

constexpr char kKubeconfig[] = "/var/lib/kubelet/kubeconfig";
constexpr int kTries = 30;

bool has_token(const Subject& s) {
  return !s.config.bootstrapping_config().tls_bootstrapping_token().empty() &&
         !s.config.api_server_config().api_server_name().empty();
}

bool says_credentials(const Subject& s) {
  return !s.files_only && (has_token(s) || node::secure_tls_bootstrapping(s.config));
}

// Root may log for another unit: `journalctl -u kubelet` shows it.
Task<Result<void>> tell_kubelets_journal(Context& c, std::string text) {
  c.note(text);
  std::string entry =
      "MESSAGE=" + text + "\nPRIORITY=6\nSYSLOG_IDENTIFIER=aks-node-controller\nOBJECT_SYSTEMD_UNIT=kubelet.service\n";
  co_return co_await c.host.network.send("/run/systemd/journal/socket", std::move(entry));
}

// Nothing: it is valid. The text says what came instead.
Task<std::string> try_token(Context& c, SubjectPtr s) {
  host::HttpRequest request;
  request.url = render::node::api_server_url(s->config) + "/version?timeout=5s";
  request.headers.emplace_back("Authorization", "Bearer " + s->config.bootstrapping_config().tls_bootstrapping_token());
  request.ca_file = "/etc/kubernetes/certs/ca.crt";
  request.limit = 5s;
  auto reply = co_await c.host.network.get(std::move(request));
  if (!reply) co_return reply.error().what;
  if (reply->status < 200 || reply->status > 399) co_return "HTTP status " + std::to_string(reply->status);
  co_return std::string();
}

Task<Result<void>> check_token(Context& c, SubjectPtr s) {
  if (!has_token(*s)) {  // the secure bootstrap has got the credentials itself, or is about to
    if (auto there = co_await c.host.watch.path_appears(kKubeconfig); !there) co_return there;
    co_return co_await tell_kubelets_journal(c, "client credential already exists within kubeconfig");
  }
  std::string wrong;
  for (int i = 0; i < kTries; ++i) {
    const auto there = c.host.files.exists(kKubeconfig);
    if (!there) co_return there.error();
    if (*there) co_return co_await tell_kubelets_journal(c, "client credential already exists within kubeconfig");
    wrong = co_await try_token(c, s);
    if (wrong.empty()) co_return co_await tell_kubelets_journal(c, "kubelet bootstrap token credential is valid");
    // kubelet may get in meanwhile, and then there is nothing left to find out.
    auto appears = c.host.watch.path_appears(kKubeconfig);
    (void)co_await host::within(c.host.loop, 2s, std::move(appears), "kubeconfig");
  }
  co_return co_await tell_kubelets_journal(c, "unable to validate bootstrap credentials: " + wrong);
}

}  // namespace

Declarations bootstrap_steps() {
  return {
      {.name = "bootstrap.token",
       .purpose = "tries the bootstrap token beside kubelet, and says in kubelet's journal whether it is valid",
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
