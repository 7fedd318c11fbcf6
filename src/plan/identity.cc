// Who the node is: the cloud provider's config, the cluster's CA, kubelet's credentials.
#include "plan/subjects.h"
#include "plan/unit_files.h"
#include "render/node/credentials.h"

namespace sunup::plan {
namespace {

constexpr char kSecureTls[] = "secure-tls-bootstrap.service";

bool secure_tls(const Subject& s) {
  return node::secure_tls_bootstrapping(s.config);
}

// Started at once, beside everything else: systemd holds kubelet back until the client is done. If the start is not
// taken now, kubelet's own wish for the unit starts it.
Task<Result<void>> start_secure_tls(Context& c, SubjectPtr) {
  Names units = {kSecureTls};
  if (auto enabled = co_await c.host.units.enable(std::move(units)); !enabled) co_return enabled;
  if (auto read = co_await have_read(c, kSecureTls); !read) co_return read;
  auto started = co_await c.host.units.start(kSecureTls, host::JobWait::kQueued);
  if (!started) c.note(started.error().what);
  co_return Result<void>();
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
       .purpose =
           "writes the cluster's CA and, where the config has them, the API server's and the client's certificate",
       .original = "N02, N08",
       .task = "AKS.CSE.ensureKubeCACert",
       .concerns = {"certificates"},
       .lasts = Lasts::kOnDisk},
      {.name = "identity.secure_tls",
       .purpose = "has kubelet's credentials fetched by the secure bootstrap client",
       .original = "N09",
       .task = "AKS.CSE.configureAndEnableSecureTLSBootstrapping",
       .when = "the config asks for secure TLS bootstrapping",
       .wanted = secure_tls,
       .needs = {"identity.cloud", "identity.certificates"},
       .after = {"secure_tls.client"},
       .concerns = {"secure TLS bootstrap"},
       .units = {kSecureTls},
       .exit_code = 220,
       .body = start_secure_tls},
  };
}

}  // namespace sunup::plan
