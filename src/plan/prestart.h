// The conditions of every start of kubelet: pods cannot reach services of the host, /var/lib/kubelet is a shared mount,
// containerd runs. Provisioning establishes them once, in parallel with other steps; afterwards `kubelet-prestart`
// establishes them at each start (docs/decisions/0003-kubelet-prestart.md).
#pragma once

#include <functional>

#include "base/result.h"
#include "host/host.h"
#include "render/node/firewall.h"

namespace sunup::plan {

// Sets the firewall rules and the mount. Returns an error if the rules cannot be set.
host::Task<Result<void>> protect_kubelet(host::Host& host, render::node::MetadataRestriction restriction);

// Performs `kubelet-prestart`. If provisioning has just done the work, it has left a mark; the mark is then removed and
// only containerd's socket is waited for. Problems that do not prevent kubelet's start are passed to `warn`.
using Warn = std::function<void(const Error&)>;
host::Task<Result<void>> kubelet_prestart(host::Host& host, render::node::MetadataRestriction restriction, Warn warn);

inline constexpr char kContainerdSocket[] = "/run/containerd/containerd.sock";

}  // namespace sunup::plan
