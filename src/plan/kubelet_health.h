// Tells whether kubelet has started. A kubelet that does not take its configuration is executed without an error and
// ends a moment later; systemd then starts it again for ever.
#pragma once

#include <string>
#include <string_view>

#include "plan/declaration.h"

namespace sunup::plan {

inline constexpr char kKubelet[] = "kubelet.service";

// Where kubelet listens for device plugins: the last thing that its container manager does when it starts, and so
// behind everything that ends a kubelet at its start (flags, config, runtime, cgroups, swap). It does not wait for the
// API server.
inline constexpr char kKubeletStarted[] = "/var/lib/kubelet/device-plugins/kubelet.sock";

// The body of kubelet.health: ends when kubelet listens there, with an error when it has ended twice, or when it does
// not run after ten seconds. A kubelet that runs and has not come so far by then waits for something, and is healthy.
Task<Result<void>> look_at_kubelet(Context& context, SubjectPtr subject);

// The reason that kubelet gave last, out of its log; empty: none.
std::string last_error(std::string_view log);

}  // namespace sunup::plan
