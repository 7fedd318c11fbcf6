// The identity of the node: the cloud provider's config, the cluster's CA, kubelet's credentials.
#include "base/exit_code.h"
#include "plan/subjects.h"
#include "render/node/credentials.h"

namespace sunup::plan {
namespace {

constexpr char kSecureTls[] = "secure-tls-bootstrap.service";

bool secure_tls(const Subject& s) {
  return node::secure_tls_bootstrapping(s.config);
}

// The unit is enabled, not started: kubelet requires the unit, and systemd delays kubelet until the client has
// finished. If it were started before systemd has loaded all units, the client might run without its arguments.
Task<Result<void>> enable_secure_tls(Context& c, SubjectPtr) {
  co_return co_await c.host.units.enable({kSecureTls});
}

}  // namespace

Declarations identity_steps() {
  return {
      {.name = "identity.cloud",
       .purpose = "writes the cloud provider's config",
       .original = "N01",
       .task = "AKS.CSE.configureAzureJson",
       .concerns = {"cloud provider"},
       .lasts = Lasts::kOnDisk},
      {.name = "identity.certificates",
       .purpose = "writes the cluster's CA and, if given, the API server's and the client's certificate",
       .original = "N02, N08",
       .task = "AKS.CSE.ensureKubeCACert",
       .concerns = {"certificates"},
       .lasts = Lasts::kOnDisk},
      {.name = "identity.secure_tls",
       .purpose = "configures the secure bootstrap client, which fetches kubelet's credentials when kubelet starts",
       .original = "N09",
       .task = "AKS.CSE.configureAndEnableSecureTLSBootstrapping",
       .when = "the config asks for secure TLS bootstrapping",
       .wanted = secure_tls,
       .needs = {"identity.cloud", "identity.certificates"},
       .after = {"secure_tls.client"},
       .concerns = {"secure TLS bootstrap"},
       .units = {kSecureTls},
       .exit_code = exit_code::kSecureTlsBootstrapEnableFailure,
       .body = enable_secure_tls},
  };
}

}  // namespace sunup::plan
