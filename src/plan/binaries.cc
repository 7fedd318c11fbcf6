// kubelet, kubectl and the image credential provider: from what the image has cached, else from where the config says.
#include <fmt/format.h>

#include "plan/archives.h"
#include "plan/subjects.h"
#include "render/node/binary_source.h"
#include "render/node/registry.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

constexpr char kProvider[] = "/var/lib/kubelet/credential-provider/acr-credential-provider";

constexpr int kDownloadFailed = 31;

// One source. `member` is what the program is called in an archive.
Task<Result<void>> take(Context& c, node::BinarySource source, std::string member, std::string to) {
  host::Files& files = c.host.files;
  switch (source.kind) {
    case node::SourceKind::kInPlace: {
      const auto info = files.info(to);
      if (!info) co_return info.error();
      if (info->mode == 0755) co_return Result<void>();
      co_return files.set_mode(to, 0755);
    }
    case node::SourceKind::kCachedBinary: {
      // Renamed, so that a link at `to` is replaced and never what it points to.
      const auto info = files.info(source.where);
      if (!info) co_return info.error();
      if (info->mode != 0755)
        if (auto runs = files.set_mode(source.where, 0755); !runs) co_return runs;
      co_return files.rename(source.where, to);
    }
    case node::SourceKind::kCachedArchive:
      co_return co_await extract_program(c.host, source.where, std::move(member), std::move(to));
    case node::SourceKind::kUrl: {
      const std::string archive = to + ".download";
      auto got = co_await download(c.host, source.where, archive);
      if (got) got = co_await extract_program(c.host, archive, std::move(member), std::move(to));
      (void)files.remove(archive);
      co_return got;
    }
    case node::SourceKind::kCachedSysext: {
      // Merged over /usr; what units call is a link to what appears there.
      const std::string name = to.substr(to.rfind('/') + 1);
      const std::string extension = name == "acr-credential-provider" ? member : name;
      if (auto linked = files.symlink(source.where, "/etc/extensions/" + extension + ".raw"); !linked) co_return linked;
      host::Command refresh = host::command("systemd-sysext", "--no-reload", "refresh").with_limit(60s);
      auto exit = co_await c.host.processes.run(std::move(refresh));
      if (!exit) co_return std::move(exit).error();
      if (!exit->ok()) co_return exit->as_error("systemd-sysext refresh");
      co_return files.symlink("/usr/bin/" + extension, to);
    }
    case node::SourceKind::kCachedPackage:
    case node::SourceKind::kOnlinePackage:
    case node::SourceKind::kOnlineSysext:
    case node::SourceKind::kRegistry:
      break;
  }
  co_return Error(fmt::format("{}: this kind of source is not supported", source.where));
}

// The first source that works; the error names what was tried.
Task<Result<void>> take_first(Context& c, node::BinarySources sources, std::string member, std::string to) {
  Error last("nothing was tried");
  for (node::BinarySource& source : sources) {
    const std::string where = source.where.substr(0, source.where.find('?'));
    auto taken = co_await take(c, std::move(source), member, to);
    if (taken) {
      c.note("from " + where);
      co_return Result<void>();
    }
    last = std::move(taken).error();
    c.note(fmt::format("not from {}: {}", where, last.what));
  }
  co_return std::move(last).in(member);
}

Task<Result<void>> put_tool(Context& c, SubjectPtr s, std::string tool) {
  auto facts = facts_now(c, *s);
  if (!facts) co_return std::move(facts).error();
  auto sources = node::kube_binary_sources(tool, s->config, *facts);
  if (!sources) co_return std::move(sources).error();
  const std::string to = "/opt/bin/" + tool;
  const bool downloads = !sources->empty() && sources->back().kind == node::SourceKind::kUrl;
  auto taken = co_await take_first(c, *std::move(sources), tool, to);
  // The ecosystem tells a download that failed from a package that did.
  if (!taken && downloads) co_return std::move(taken).error().with_code(kDownloadFailed);
  co_return taken;
}

Task<Result<void>> put_kubelet(Context& c, SubjectPtr s) {
  return put_tool(c, std::move(s), "kubelet");
}
Task<Result<void>> put_kubectl(Context& c, SubjectPtr s) {
  return put_tool(c, std::move(s), "kubectl");
}

template <const char* kPath>
std::vector<FileEffect> program(const Subject&) {
  return {{.path = kPath, .mode = 0755}};
}
constexpr char kKubelet[] = "/opt/bin/kubelet";
constexpr char kKubectl[] = "/opt/bin/kubectl";

bool has_provider(const Subject& s) {
  return node::has_credential_provider(s.config);
}

Task<Result<void>> put_provider(Context& c, SubjectPtr s) {
  auto facts = facts_now(c, *s);
  if (!facts) co_return std::move(facts).error();
  auto sources = node::credential_provider_sources(s->config, *facts, "");
  if (!sources) co_return std::move(sources).error();
  const std::string to = kProvider;
  const std::string member = "azure-acr-credential-provider";
  co_return co_await take_first(c, *std::move(sources), member, to);
}

}  // namespace

Declarations binary_steps() {
  return {
      {.name = "kubelet.binary",
       .purpose = "puts kubelet in place, from the image's cache if it has it",
       .original = "B22",
       .task = "AKS.CSE.configureKubeletAndKubectl",
       .phase = node::Phase::kBasePrep,
       .needs = {kMetadata},
       .files = program<kKubelet>,
       .lasts = Lasts::kOnDisk,
       .deadline = 300s,
       .retry = {.attempts = 60, .pause = 1s, .longest_pause = 5s, .each = 120s},
       .exit_code = 121,
       .body = put_kubelet},
      {.name = "kubectl.binary",
       .purpose = "puts kubectl in place; nothing on the way to Ready needs it",
       .original = "B22",
       .phase = node::Phase::kBasePrep,
       .needs = {kMetadata},
       .files = program<kKubectl>,
       .deferred = true,
       .lasts = Lasts::kOnDisk,
       .deadline = 300s,
       .retry = {.attempts = 10, .pause = 1s, .longest_pause = 5s, .each = 120s},
       .fatal = false,
       .exit_code = 122,
       .body = put_kubectl},
      {.name = "kubelet.credential_provider",
       .purpose = "puts the image credential provider in place",
       .original = "N23",
       .task = "AKS.CSE.ensureKubelet.installCredentialProviderFromPkg",
       .when = "kubelet's flags name a credential provider",
       .wanted = has_provider,
       .needs = {kMetadata},
       .files = program<kProvider>,
       .lasts = Lasts::kOnDisk,
       .deadline = 300s,
       .retry = {.attempts = 60, .pause = 1s, .longest_pause = 5s, .each = 120s},
       .exit_code = 205,
       .body = put_provider},
  };
}

}  // namespace sunup::plan
