// Determines whether kubelet has started. A kubelet that rejects its configuration is executed without an error and
// exits a moment later; systemd then restarts it again and again.
#pragma once

#include <string>
#include <string_view>

#include "plan/declaration.h"

namespace sunup::plan {

inline constexpr char kKubelet[] = "kubelet.service";

// The socket on which kubelet listens for device plugins. Its container manager opens it last, after everything that
// can make kubelet exit during its start (flags, config, runtime, cgroups, swap). kubelet does not wait for the API
// server before that.
inline constexpr char kKubeletStarted[] = "/var/lib/kubelet/device-plugins/kubelet.sock";

// The body of kubelet.health. It ends when kubelet listens there, or with an error if kubelet has exited twice or does
// not run after ten seconds. A kubelet that runs by then but does not listen waits for something and counts as healthy.
Task<Result<void>> look_at_kubelet(Context& context, SubjectPtr subject);

// The last reason in the log of kubelet; empty if there is none.
std::string last_error(std::string_view log);

}  // namespace sunup::plan
