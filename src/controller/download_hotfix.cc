#include "controller/download_hotfix.h"

#include <cerrno>

#include "base/node_paths.h"
#include "base/text.h"
#include "controller/apply_hotfix.h"
#include "controller/child_environment.h"
#include "controller/hotfix_pointer.h"
#include "controller/node_secrets.h"
#include "controller/os_reason.h"
#include "host/processes.h"
#include "render/distro.h"

namespace sunup::controller {
namespace {

using namespace std::chrono_literals;

constexpr int kAttempts = 5;
constexpr auto kPause = 3s;
constexpr auto kLimit = 55s;  // then SIGTERM, and SIGKILL five seconds later: at most a minute
constexpr auto kGrace = 5s;

// Runs one command, with retries, until it succeeds. The error's code is the exit code of this program.
host::Task<Result<void>> run_with_retries(Node& node, std::vector<std::string> argv) {
  Error error;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    host::Command command;
    command.argv = argv;
    command.env = inherited_environment();
    command.env.insert(command.env.begin(), "DEBIAN_FRONTEND=noninteractive");  // of equal names the first is used
    command.limit = kLimit;
    command.grace = kGrace;
    const auto exit = co_await node.processes.run(std::move(command));
    if (exit && exit->ok()) co_return Result<void>();
    if (!exit) {
      error = exit.error();
      if (error.os_errno == ENOENT) co_return error;  // a retry cannot succeed
    } else {
      error = exit->as_error(argv[0]).with_code(exit->signal != 0 || exit->timed_out ? 255 : exit->code);
    }
    node.log.warn("package command failed",
                  {{"command", argv[0]}, {"attempt", attempt}, {"of", kAttempts}, {"error", error.what}});
    if (attempt < kAttempts) co_await node.loop.after(kPause);
  }
  co_return error;
}

host::Task<Result<void>> install_with_apt(Node& node, std::string version) {
  std::string list;
  for (const char* source :
       {"/etc/apt/sources.list.d/microsoft-prod.list", "/etc/apt/sources.list.d/microsoft-prod.sources"}) {
    const auto there = node.files.exists(source);
    if (!there) co_return there.error();
    if (*there && list.empty()) list = source;
  }
  if (list.empty()) co_return Error("no microsoft-prod package source in /etc/apt/sources.list.d");
  const std::vector<std::vector<std::string>> commands = {
      {"dpkg", "--configure", "-a", "--force-confdef", "--force-confold"},
      {"apt-get", "update", "-o", "Dpkg::Options::=--force-confold", "-o", "Dir::Etc::sourcelist=" + list, "-o",
       "Dir::Etc::sourceparts=-"},
      {"apt-get", "install", "-y", "--allow-downgrades", "-o", "Dpkg::Options::=--force-confold",
       "aks-node-controller=" + version + "*"}};
  for (const auto& argv : commands) {
    if (auto done = co_await run_with_retries(node, argv); !done) co_return done;
  }
  co_return Result<void>();
}

host::Task<Result<void>> install_with_rpm(Node& node, std::string version) {
  Result<void> done;
  for (const char* manager : {"dnf", "tdnf"}) {
    std::vector<std::string> argv = {manager,     "install",        "-y",
                                     "--refresh", "--allowerasing", "aks-node-controller-" + version};
    done = co_await run_with_retries(node, std::move(argv));
    if (done || done.error().os_errno != ENOENT) break;
  }
  co_return done;
}

host::Task<Result<void>> install(Node& node, std::string version) {
  const auto os_release = node.files.read("/etc/os-release");
  if (!os_release) co_return os_release.error();
  const std::string id = lowered(render::identify({*os_release}).id);
  Result<void> installed = Error("unsupported OS: " + id);
  if (id == "ubuntu")
    installed = co_await install_with_apt(node, version);
  else if (id == "azurelinux" || id == "mariner")
    installed = co_await install_with_rpm(node, version);
  if (!installed) co_return installed;

  const auto current = node.files.info(paths::kBinary);
  if (!current) co_return current.error();
  co_return node.files.copy(paths::kPackagedBinary, paths::kHotfixBinary, current->mode);
}

}  // namespace

host::Task<int> download_hotfix(Node& node) {
  node.log.info("download-hotfix started", {{"version", node.version}});
  NodeSecrets(node).hide();  // a package manager prints its proxy when it fails
  const auto text = node.files.read(paths::kHotfixPointer);
  Result<HotfixPointer> pointer = HotfixPointer();
  if (text)
    pointer = parse_pointer(*text);
  else if (text.error().os_errno != ENOENT)
    pointer = text.error();
  if (!pointer) {
    node.log.warn("failed to read hotfix config, skipping hotfix download", {{"error", pointer.error().what}});
    pointer = HotfixPointer();
  }

  (void)apply_scripts_hotfix(node);
  const std::string wanted = wanted_version(*pointer, node.version);
  if (passes_gate(node, wanted, "program")) {
    const auto installed = co_await install(node, wanted);
    if (!installed) {
      node.log.error("download-hotfix failed",
                     {{"error", "install hotfix version " + wanted + ": " + installed.error().what}});
      co_return installed.error().code != 0 ? installed.error().code : 1;
    }
    node.log.info("program hotfix installed", {{"wanted", wanted}, {"path", paths::kHotfixBinary}});
  }
  node.log.info("download-hotfix finished");
  co_return 0;
}

}  // namespace sunup::controller
