// The description of a failure in less than 1 KiB. The same text is written to provision.json (and with it to the
// extension's stdout), the serial console, the hypervisor and a webhook, so the cause is visible without logging in.
//
//   provisioning failed: exit code 50 ERR_OUTBOUND_CONN_FAIL (network)
//   step: network.outbound
//   cause: GET https://mcr.microsoft.com/v2/: no address for mcr.microsoft.com
//   do: Check network security groups, ...
//   ignored: kubelet_config.foo, bar
//   timeline: containerd ready +0.412s, kubelet never started, ended +30.65s; longest: network.outbound 30.2s (5
//   attempts)
#pragma once

#include <string>
#include <vector>

namespace sunup::report {

struct Failure {
  int exit_code = 0;
  std::string step = {};                  // the failed step; empty: no particular step
  std::string cause = {};                 // already redacted
  std::string hint = {};                  // empty: the remedy of the exit code
  std::vector<std::string> ignored = {};  // fields of the config that had no effect
  std::string timeline = {};              // one line
  std::string node = {};                  // the host name, for listeners with many nodes
};

inline constexpr size_t kLongestFailureText = 1023;

// Valid UTF-8; lines are separated by \n, without one at the end. If the text does not fit, the least important parts
// are shortened.
std::string failure_text(const Failure& failure);
// The same as JSON: {"node":"...","exitCode":50,"name":"ERR_...","step":...,"cause":...,"hint":...,"ignored":[...],
// "timeline":..., "text":...}, in one line.
std::string failure_json(const Failure& failure);

}  // namespace sunup::report
