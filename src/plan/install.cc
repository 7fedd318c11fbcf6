#include "plan/install.h"

#include <fmt/format.h>

#include <cerrno>

#include "base/exit_code.h"
#include "base/url.h"
#include "engine/retry.h"
#include "fetch/download.h"
#include "plan/archives.h"
#include "plan/package_repository.h"
#include "plan/registry_source.h"
#include "plan/subjects.h"
#include "render/node/ca_trust.h"
#include "render/node/online_source.h"
#include "render/node/proxy.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;

// System extensions are images of programs that are merged over a read-only /usr.
bool starts_kubelet(std::string_view extension, const NodeFacts& facts) {
  return extension == "kubelet" && render::traits(facts.distro).extension_starts_kubelet;
}

std::string place_of(std::string_view name) {
  return fmt::format("/etc/extensions/{}.raw", name);
}

// Links the image to the directory that systemd reads, merges it, and links `to` to the program in it.
Task<Result<void>> merge_extension(Context& c, const NodeFacts& facts, std::string image, std::string name,
                                   std::string to) {
  host::Files& files = c.host.files;
  if (starts_kubelet(name, facts))
    if (auto masked = files.symlink("/dev/null", node::kExtensionAutostart); !masked)
      co_return std::move(masked).error().with_code(exit_code::kK8sInstallErr);
  if (auto linked = files.symlink(image, place_of(name)); !linked) co_return linked;
  auto exit = co_await c.host.processes.run(host::command("systemd-sysext", "--no-reload", "refresh").with_limit(60s));
  if (!exit) co_return std::move(exit).error();
  if (!exit->ok()) {
    // An image that cannot be merged must not be tried again at the next boot.
    (void)files.remove(place_of(name));
    co_return exit->as_error("systemd-sysext refresh");
  }
  co_return files.symlink("/usr/bin/" + name, to);
}

// The files that this changes besides `to`.
std::vector<FileEffect> extension_effects(std::string_view name, const NodeFacts& facts) {
  std::vector<FileEffect> effects = {{place_of(name), 0777}};
  if (starts_kubelet(name, facts)) effects.push_back({node::kExtensionAutostart, 0777});
  return effects;
}

// The error for an empty program, which a full disk or a faulty image build leaves. A retry does not help.
Error nothing_in(const std::string& path) {
  Error empty(path + " is empty");
  empty.os_errno = ENODATA;
  return empty;
}

// Moves the program into place with a rename, so that a link at `to` is replaced instead of its target. The rename
// removes the name that contains the version, so the mark must be durable before it. Until then, the program under its
// versioned name takes precedence.
Result<void> put_in_place(host::Files& files, const std::string& from, const Program& program) {
  const auto info = files.info(from);
  if (!info) return info.error();
  if (info->size == 0) return nothing_in(from);
  if (info->mode != 0755)
    if (auto runs = files.set_mode(from, 0755); !runs) return runs;
  if (!program.mark.empty())
    if (auto marked = files.write_durable(program.mark, node::version_mark(program.version, info->size)); !marked)
      return marked;
  return files.rename(from, program.to);
}

// Completes a program that is already in place. If it is a link, the target belongs to another owner and must not be
// changed, so the link is replaced by a copy. On systems with extensions, the link is ours and points into a merged
// extension, so it stays.
Result<void> keep_in_place(host::Files& files, const std::string& to, const NodeFacts& facts) {
  const auto info = files.info(to);
  if (!info) return info.error();
  if (info->size == 0) return nothing_in(to);
  const auto link = files.link_if_there(to);
  if (!link) return link.error();
  const bool linked = link->has_value();
  if (linked && render::traits(facts.distro).packages != render::PackageFormat::kSysext)
    return files.copy(to, to, 0755);
  return linked || info->mode == 0755 ? Result<void>() : files.set_mode(to, 0755);
}

// The mark need not be durable: if it is lost, the program can be extracted or merged again.
Result<void> leave_mark(host::Files& files, const Program& program) {
  if (program.mark.empty()) return {};
  const auto info = files.info_if_there(program.to);
  if (!info) return info.error();
  if (!*info) return {};  // an extension that is merged at the next boot
  return files.write(program.mark, node::version_mark(program.version, (*info)->size));
}

// A program that the image's builder has installed under its plain name must report the expected version.
Task<Result<void>> check_version(Context& c, Program program) {
  host::Command ask = program.name == "kubectl" ? host::command(program.to, "version", "--client")
                                                : host::command(program.to, "--version");
  auto answer = co_await c.host.processes.run(std::move(ask).with_limit(20s));
  if (!answer) co_return std::move(answer).error();
  if (!answer->ok()) co_return answer->as_error(program.to);
  if (node::holds_version(answer->out, program.version)) co_return Result<void>();
  co_return Error(fmt::format("{} is not of version {}", program.to, program.version));
}

Task<Result<void>> install_from(Context& c, SubjectPtr s, const NodeFacts& facts, node::BinarySource source,
                                Program program) {
  host::Files& files = c.host.files;
  std::string download = node::download_path(source, program.name, facts);
  switch (source.kind) {
    case node::SourceKind::kInPlace:
      co_return keep_in_place(files, program.to, facts);
    case node::SourceKind::kUnmarked: {
      if (auto checked = co_await check_version(c, program); !checked) co_return checked;
      co_return keep_in_place(files, program.to, facts);
    }
    case node::SourceKind::kCachedBinary:
      co_return put_in_place(files, source.where, program);
    case node::SourceKind::kCachedPackage:
    case node::SourceKind::kCachedArchive:
      co_return co_await extract_program(c.host, source.where, program.name, program.to);
    case node::SourceKind::kUrl:
      co_return co_await install_from_url(c, std::move(s), source.where, std::move(download), std::move(program));
    case node::SourceKind::kRegistry: {
      auto got = co_await pull_program(c, s, facts, std::move(source), program.name, download);
      if (!got) co_return got;
      co_return co_await extract_program(c.host, std::move(download), program.name, program.to);
    }
    case node::SourceKind::kOnlinePackage: {
      auto package = co_await fetch_package(c, s, facts, std::move(source));
      if (!package) co_return std::move(package).error();
      co_return co_await extract_program(c.host, *std::move(package), program.name, program.to);
    }
    case node::SourceKind::kOnlineSysext: {
      if (auto got = co_await pull_extension(c, s, facts, std::move(source), download); !got) co_return got;
      co_return co_await merge_extension(c, facts, std::move(download), program.name, program.to);
    }
    case node::SourceKind::kCachedSysext:
      co_return co_await merge_extension(c, facts, source.where, program.name, program.to);
  }
  co_return Result<void>();
}

}  // namespace

Names download_needs(const Subject& s) {
  Names needs;
  if (!node::runs_phase(node::Phase::kBasePrep, s.config, s.facts)) return needs;
  if (!node::ca_update_command(s.config, s.facts).empty()) needs.emplace_back("trust.update");
  if (asks_cloud_for_trust(s)) needs.emplace_back("trust.cloud");
  if (node::has_proxy(s.config)) needs.emplace_back("proxy.files");
  return needs;
}

fetch::Outside outside(Context& c, const SubjectPtr& s) {
  return {.host = c.host,
          .note = [&c](std::string text) { c.note(std::move(text)); },
          .proxy = [s](std::string_view url) { return node::proxy_for(s->config, url); }};
}

Task<Result<void>> install_from_url(Context& c, SubjectPtr s, std::string url, std::string archive, Program program) {
  host::Files& files = c.host.files;
  // Several programs share one archive, and the first of them downloads it. If a power cut left it incomplete, it
  // cannot be extracted.
  const auto fetched = files.exists(archive);
  if (!fetched) co_return fetched.error();
  if (*fetched) {
    auto unpacked = co_await extract_program(c.host, archive, program.name, program.to);
    if (unpacked) co_return unpacked;
  }
  fetch::Download what;
  what.url = std::move(url);
  what.to = archive;
  fetch::Outside way = outside(c, s);
  if (auto got = co_await fetch::download(std::move(way), std::move(what)); !got) co_return got;
  auto unpacked = co_await extract_program(c.host, archive, program.name, program.to);
  if (!unpacked) {
    (void)files.remove(archive);
    co_return std::move(unpacked).error().with_code(exit_code::kK8sInstallErr);
  }
  co_return unpacked;
}

Task<Result<void>> install(Context& c, SubjectPtr s, NodeFacts facts, node::BinarySources sources, Program program) {
  Error all;
  bool hopeless = true;
  for (node::BinarySource& source : sources) {
    const std::string where = shown_url(source.where);
    if (s->files_only && source.kind == node::SourceKind::kUnmarked) {
      (void)c.leave_out(fmt::format("query the version of {}", where));
      continue;
    }
    if (s->files_only && node::is_online(source.kind)) {
      (void)c.leave_out(fmt::format("fetch {} from {}", program.name, where));
      if (all.what.empty()) co_return Result<void>();
      continue;
    }
    const bool known = source.kind == node::SourceKind::kInPlace || source.kind == node::SourceKind::kCachedBinary;
    const int code = node::failure_code(source.kind, program.name);
    const bool registry = source.kind == node::SourceKind::kRegistry || source.kind == node::SourceKind::kOnlineSysext;
    auto installed = co_await install_from(c, s, facts, std::move(source), program);
    if (installed && !known) installed = leave_mark(c.host.files, program);
    if (installed) {
      c.note("from " + where);
      co_return Result<void>();
    }
    Error error = std::move(installed).error();
    c.note(fmt::format("not from {}: {}", where, error.what));
    hopeless = hopeless && error.os_errno == ENODATA;
    if (registry && error.os_errno == EACCES) error.code = exit_code::kOrasPullUnauthorized;
    all.what += (all.what.empty() ? "" : "; ") + error.what;
    // A registry that refuses access determines the exit code, whatever sources are tried later.
    if (all.code != exit_code::kOrasPullUnauthorized) all.code = error.code != 0 ? error.code : code;
    all.hint = std::move(error.hint);
    // One source that may work later is sufficient for a retry, regardless of the others.
    if (!engine::may_pass(all)) all.os_errno = error.os_errno;
  }
  if (s->files_only && all.what.empty()) co_return Result<void>();  // the existing program was accepted, with a note
  if (all.os_errno == ENODATA && !hopeless) all.os_errno = 0;
  // Below --root, a retry cannot change the result for a file in the tree; only an error that may be temporary is
  // retried.
  if (s->files_only && !engine::may_pass(all)) all.os_errno = ENODATA;
  if (all.hint.empty())
    all.hint = fmt::format("use an image that contains {}, or allow the node to reach its source", program.name);
  co_return std::move(all).in(program.name);
}

std::vector<FileEffect> install_effects(const node::BinarySource& source, std::string_view program,
                                        const NodeFacts& facts) {
  std::vector<FileEffect> effects;
  const bool extension =
      source.kind == node::SourceKind::kOnlineSysext || source.kind == node::SourceKind::kCachedSysext;
  if (extension) effects = extension_effects(program, facts);
  if (source.kind == node::SourceKind::kOnlinePackage) {
    effects.push_back({package_folder(program), 0755});
  } else if (node::is_online(source.kind)) {
    const std::string download = node::download_path(source, program, facts);
    effects.push_back({download, 0644});
    effects.push_back({download + ".part", 0644, true});
  }
  return effects;
}

}  // namespace sunup::plan
