#include "plan/prestart.h"

#include <algorithm>

#include "host/running.h"
#include "render/node/kubelet_unit.h"

namespace sunup::plan {
namespace {

using namespace std::chrono_literals;
using host::Task;

constexpr char kKubeletFolder[] = "/var/lib/kubelet";
constexpr char kNetworkResults[] = "/var/lib/cni/results";
constexpr char kNetworkResultsChecked[] = "/run/aks-node-controller/cni-results.checked";
// The machine's address may have changed since it was provisioned. kubelet must start nevertheless.
constexpr auto kAddressLimit = 20s;
// The limit for all preparations together. It is below the 90 s after which systemd aborts a start, so that the journal
// contains the reason from this program.
constexpr host::Duration kLimit = 80s;

Task<Result<void>> make_rules(host::Host& host, render::node::MetadataRestriction restriction) {
  auto saved = co_await host.processes.run(host::command("iptables-save").with_limit(20s));
  if (!saved) co_return std::move(saved).error();
  if (!saved->ok()) co_return saved->as_error("iptables-save");
  auto changes = render::node::firewall_changes(saved->out, restriction);
  if (!changes) co_return std::move(changes).error();
  if (changes->empty()) co_return Result<void>();
  host::Command restore = host::command("iptables-restore", "--wait", "10", "--noflush").with_limit(20s);
  restore.input = *std::move(changes);
  auto exit = co_await host.processes.run(std::move(restore));
  if (!exit) co_return std::move(exit).error();
  if (!exit->ok()) co_return exit->as_error("iptables-restore");
  co_return Result<void>();
}

Result<void> share_folder(host::Host& host) {
  for (const char* folder : {kKubeletFolder, "/var/lib/cni"})
    if (auto made = host.files.make_directories(folder); !made) return made;
  const auto mounts = host.kernel.mounts();
  if (!mounts) return mounts.error();
  const bool mounted =
      std::any_of(mounts->begin(), mounts->end(), [](const host::Mount& m) { return m.target == kKubeletFolder; });
  if (!mounted) {
    const host::Mount bind{.source = kKubeletFolder, .target = kKubeletFolder, .type = "", .options = "bind"};
    if (auto done = host.kernel.mount(bind); !done) return done;
  }
  const host::Mount shared{.source = "none", .target = kKubeletFolder, .type = "", .options = "shared"};
  return host.kernel.mount(shared);
}

// The CNI library stores the result of every network that it creates and does not sync it. After a power failure such a
// file may be empty; then the network of its pod cannot be removed, and neither can the pod. If the file is missing,
// both can be removed. This runs only before kubelet's first start in a boot, because later an empty file may be one
// that is being written.
Result<void> remove_empty_network_results(host::Files& files) {
  const auto looked = files.exists(kNetworkResultsChecked);
  if (!looked) return looked.error();
  if (*looked) return {};
  const auto names = files.list_if_there(kNetworkResults);
  if (!names) return names.error();
  for (const std::string& name : *names) {
    const std::string path = std::string(kNetworkResults) + "/" + name;
    const auto info = files.info_if_there(path);
    if (!info) return info.error();
    if (!*info || (*info)->kind != host::FileKind::kRegular || (*info)->size > 0) continue;
    if (auto removed = files.remove(path); !removed) return removed;
  }
  return files.write(kNetworkResultsChecked, "", 0600);
}

// kubelet exits immediately if nothing listens on the socket, and systemd restarts it only after a pause.
Task<Result<void>> wait_for_runtime(host::Host& host, host::Duration limit) {
  auto accepts = host.watch.socket_accepts(kContainerdSocket);
  auto there = co_await host::within(host.loop, limit, std::move(accepts), "containerd's socket");
  if (there) co_return there;
  co_return std::move(there).error().with_hint("see journalctl -u containerd; it does not listen at " +
                                               std::string(kContainerdSocket));
}

// All preparations except the wait for containerd.
Task<Result<void>> prepare_start(host::Host& host, render::node::MetadataRestriction restriction, Warn warn) {
  const std::string address = restriction.primary_ip;
  if (auto kept = co_await protect_kubelet(host, std::move(restriction)); !kept) co_return kept;
  // Without the address, kubelet's first status update fails, and the next one follows ten seconds later.
  if (!address.empty()) {
    auto appears = host.watch.address_appears(address);
    auto there = co_await host::within(host.loop, kAddressLimit, std::move(appears), "the node's address " + address);
    if (!there) warn(there.error());
  }
  co_return Result<void>();
}

}  // namespace

Task<Result<void>> protect_kubelet(host::Host& host, render::node::MetadataRestriction restriction) {
  if (auto shared = share_folder(host); !shared) co_return shared;
  co_return co_await make_rules(host, std::move(restriction));
}

Task<Result<void>> kubelet_prestart(host::Host& host, render::node::MetadataRestriction restriction, Warn warn) {
  const host::TimePoint until = host.loop.now() + kLimit;
  const std::string done(render::node::kPrestartDone);
  const auto prepared_already = host.files.exists(done);
  if (!prepared_already) co_return prepared_already.error();
  if (*prepared_already) {
    if (auto used = host.files.remove(done); !used) co_return used;
  } else if (auto prepared = co_await prepare_start(host, std::move(restriction), warn); !prepared) {
    co_return prepared;
  }
  // In the worst case one pod cannot be removed, which is no reason to prevent kubelet's start.
  if (auto removed = remove_empty_network_results(host.files); !removed) warn(removed.error());
  // Also necessary on the first start: where containerd's unit does not notify (Azure Linux), ordering after it only
  // guarantees that containerd was executed.
  co_return co_await wait_for_runtime(host, std::max<host::Duration>(until - host.loop.now(), 1s));
}

}  // namespace sunup::plan
