// What must be so before every start of kubelet: pods kept away from the host's own services, /var/lib/kubelet a shared
// mount, containerd there. Provisioning does it once beside everything else; afterwards `kubelet-prestart` does it at
// each start (docs/decisions/0003-kubelet-prestart.md).
#pragma once

#include <functional>

#include "base/result.h"
#include "host/host.h"
#include "render/node/firewall.h"

namespace sunup::plan {

// The firewall rules and the mount. Fails when the rules cannot be had.
host::Task<Result<void>> protect_kubelet(host::Host& host, render::node::MetadataRestriction restriction);

// The whole of `kubelet-prestart`. Uses up the mark that provisioning leaves when it has just done the work, and then
// waits for containerd's socket only. What does not keep kubelet from starting is said to `warn`.
using Warn = std::function<void(const Error&)>;
host::Task<Result<void>> kubelet_prestart(host::Host& host, render::node::MetadataRestriction restriction, Warn warn);

inline constexpr char kContainerdSocket[] = "/run/containerd/containerd.sock";

}  // namespace sunup::plan
