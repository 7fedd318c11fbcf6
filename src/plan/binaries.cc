// kubelet, kubectl and the image credential provider: from the cache of the image, otherwise from the sources in the
// config.
#include "base/exit_code.h"
#include "base/node_paths.h"
#include "fetch/outside.h"
#include "plan/install.h"
#include "plan/registry_login.h"
#include "plan/subjects.h"
#include "render/node/ca_trust.h"
#include "render/node/component_list.h"
#include "render/node/credentials.h"
#include "render/node/online_source.h"
#include "render/node/proxy.h"
#include "render/node/registry.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

constexpr char kKubelet[] = "kubelet";
constexpr char kKubectl[] = "kubectl";
constexpr char kProvider[] = "azure-acr-credential-provider";
constexpr char kSecureTlsClient[] = "aks-secure-tls-bootstrap-client";

std::string place_of(std::string_view program) {
  if (program == kProvider) return paths::kCredentialProvider;
  return paths::kKubeTools + std::string(program);
}

Result<node::BinarySources> sources_of(std::string_view program, const Subject& s, const NodeFacts& facts,
                                       std::string_view components = {}) {
  if (program != kProvider) return node::kube_binary_sources(program, s.config, facts);
  const auto versions = node::credential_provider_versions(components, facts);
  return node::credential_provider_sources(s.config, facts,
                                           node::credential_provider_version(versions, s.config.kubernetes_version()));
}

// A program from a URL in the config may have any version, so it has no mark.
bool has_mark(std::string_view program, const Subject& s) {
  return program != kProvider && s.config.kube_binary_config().custom_kube_binary_url().empty();
}

template <const char* kProgram>
Task<Result<void>> put(Context& c, SubjectPtr s) {
  auto facts = facts_now(c, *s);
  if (!facts) co_return std::move(facts).error();
  const auto components = c.host.files.read_if_there(paths::kComponents);
  if (!components) co_return components.error();
  auto sources = sources_of(kProgram, *s, *facts, components->value_or(""));
  if (!sources) co_return std::move(sources).error();
  Program program;
  program.name = kProgram;
  program.to = place_of(kProgram);
  if (has_mark(kProgram, *s)) {
    program.mark = node::kube_version_file(kProgram);
    program.version = s->config.kubernetes_version();
  }
  co_return co_await install(c, s, *std::move(facts), *std::move(sources), std::move(program));
}

// The source that would be used, as far as it is known before the metadata service has been queried.
std::optional<node::BinarySource> first_source(std::string_view program, const Subject& s) {
  const auto sources = sources_of(program, s, s.facts);
  return sources ? std::optional(sources->front()) : std::nullopt;
}

template <const char* kProgram>
std::vector<FileEffect> files_of(const Subject& s) {
  std::vector<FileEffect> files = {{.path = place_of(kProgram), .mode = 0755}};
  const auto source = first_source(kProgram, s);
  const bool in_extension =
      source && (source->kind == node::SourceKind::kCachedSysext || source->kind == node::SourceKind::kOnlineSysext);
  if (has_mark(kProgram, s) && source && source->kind != node::SourceKind::kInPlace && !in_extension)
    files.push_back({.path = node::kube_version_file(kProgram), .mode = 0644});
  if (source)
    for (FileEffect& effect : install_effects(*source, kProgram, s.facts)) files.push_back(std::move(effect));
  return files;
}

// Whether the program would come from the same sources without a reply of the metadata service: they are in the image,
// and no tag of the VM changes their order. Then its installation, in particular the extraction, can begin before there
// is a network.
template <const char* kProgram>
bool is_independent_of_metadata(const Subject& s) {
  const auto source = first_source(kProgram, s);
  if (!source || node::is_online(source->kind)) return false;
  NodeFacts tagged = s.facts;
  tagged.imds = node::ImdsFacts{.vm_size = {}, .interfaces = {}, .tags = {{"ShouldEnforceKubePMCInstall", "true"}}};
  NodeFacts untagged = s.facts;
  untagged.imds = node::ImdsFacts();
  const auto with = sources_of(kProgram, s, tagged);
  const auto without = sources_of(kProgram, s, untagged);
  return with && without && *with == *without;
}

template <const char* kProgram>
Names needs_of(const Subject& s) {
  const auto source = first_source(kProgram, s);
  Names needs;
  if (!is_independent_of_metadata<kProgram>(s)) needs.emplace_back(kMetadata);
  if (source && node::is_online(source->kind))
    for (std::string& need : download_needs(s)) needs.push_back(std::move(need));
  const bool pulls =
      source && (source->kind == node::SourceKind::kRegistry || source->kind == node::SourceKind::kOnlineSysext);
  if (pulls && logs_in(s) && node::runs_phase(node::Phase::kBasePrep, s.config, s.facts))
    needs.emplace_back("registry.login");
  // Only one merge of extensions may run at a time.
  if (kProgram == kProvider && render::traits(s.facts.distro).packages == render::PackageFormat::kSysext &&
      node::runs_phase(node::Phase::kBasePrep, s.config, s.facts))
    needs.emplace_back("kubelet.binary");
  return needs;
}

bool has_provider(const Subject& s) {
  return node::has_credential_provider(s.config);
}

const std::string& secure_tls_url(const Subject& s) {
  return s.config.bootstrapping_config().secure_tls_bootstrapping_custom_client_download_url();
}

bool fetches_secure_tls_client(const Subject& s) {
  return node::secure_tls_bootstrapping(s.config) && !secure_tls_url(s).empty();
}

std::string secure_tls_archive() {
  return "/opt/aks-secure-tls-bootstrap-client/downloads/custom.tar.gz";
}

std::vector<FileEffect> secure_tls_files(const Subject&) {
  return {{place_of(kSecureTlsClient), 0755},
          {secure_tls_archive(), 0644, true},
          {secure_tls_archive() + ".part", 0644, true}};
}

Task<Result<void>> put_secure_tls_client(Context& c, SubjectPtr s) {
  Program program;
  program.name = kSecureTlsClient;
  program.to = place_of(kSecureTlsClient);
  const std::string archive = secure_tls_archive();
  if (auto removed = c.host.files.remove(archive); !removed) co_return removed;  // from any URL
  auto got = co_await install_from_url(c, s, secure_tls_url(*s), archive, std::move(program));
  (void)c.host.files.remove(archive);
  if (!got) co_return std::move(got).error().with_code(exit_code::kSecureTlsBootstrapClientDownloadError);
  co_return got;
}

// The original's number of attempts; if the server does not have the file, there is no retry.
Retry download_retry(int attempts) {
  return {.attempts = attempts, .pause = 1s, .longest_pause = 5s, .worth = fetch::worth_retrying};
}

}  // namespace

Declarations binary_steps() {
  return {
      {.name = "kubelet.binary",
       .purpose = "installs kubelet, from the image if possible, otherwise from the network",
       .original = "B22",
       .task = "AKS.CSE.configureKubeletAndKubectl",
       .phase = node::Phase::kBasePrep,
       .more_needs = needs_of<kKubelet>,
       .files = files_of<kKubelet>,
       .lasts = Lasts::kOnDisk,
       .deadline = 300s,
       .retry = download_retry(60),
       .exit_code = exit_code::kKubeletInstallFail,
       .body = put<kKubelet>},
      {.name = "kubectl.binary",
       .purpose = "installs kubectl, which is not needed for Ready",
       .original = "B22",
       .phase = node::Phase::kBasePrep,
       .after = {"kubelet.binary"},
       .more_needs = needs_of<kKubectl>,
       .files = files_of<kKubectl>,
       .deferred = true,
       .lasts = Lasts::kOnDisk,
       .deadline = 300s,
       .retry = download_retry(10),
       .fatal = false,
       .exit_code = exit_code::kKubectlInstallFail,
       .body = put<kKubectl>},
      {.name = "kubelet.credential_provider",
       .purpose = "installs the image credential provider",
       .original = "N23",
       .task = "AKS.CSE.ensureKubelet.installCredentialProviderFromPkg",
       .when = "kubelet's flags name a credential provider",
       .wanted = has_provider,
       .more_needs = needs_of<kProvider>,
       .files = files_of<kProvider>,
       .lasts = Lasts::kOnDisk,
       .deadline = 300s,
       .retry = download_retry(60),
       .exit_code = exit_code::kCredentialProviderDownloadTimeout,
       .body = put<kProvider>},
      {.name = "secure_tls.client",
       .purpose = "downloads the secure TLS bootstrap client that the config names",
       .original = "B08",
       .task = "AKS.CSE.installSecureTLSBootstrapClient",
       .when = "secure TLS bootstrapping with a client that the config names",
       .wanted = fetches_secure_tls_client,
       .phase = node::Phase::kBasePrep,
       .more_needs = download_needs,
       .files = secure_tls_files,
       .lasts = Lasts::kOnDisk,
       .deadline = 300s,
       .retry = download_retry(60),
       .exit_code = exit_code::kSecureTlsBootstrapClientDownloadError,
       .body = put_secure_tls_client},
  };
}

}  // namespace sunup::plan
