// Why a provision failed, in under a kibibyte: the one text that goes to provision.json (and with it to the extension's
// stdout), the serial console, the hypervisor and a webhook, so that nobody has to log in to learn it.
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
  std::string step = {};                  // that failed; empty: none in particular
  std::string cause = {};                 // already redacted
  std::string hint = {};                  // empty: the exit code's remedy
  std::vector<std::string> ignored = {};  // fields of the config that had no effect
  std::string timeline = {};              // one line
  std::string node = {};                  // its host name, for listeners that hear many nodes
};

inline constexpr size_t kLongestFailureText = 1023;

// Valid UTF-8, lines separated by \n, none at the end. What does not fit is cut where it matters least.
std::string failure_text(const Failure& failure);
// The same for programs:
// {"node":"...","exitCode":50,"name":"ERR_...","step":...,"cause":...,"hint":...,"ignored":[...], "timeline":...,
// "text":...}, in one line.
std::string failure_json(const Failure& failure);

}  // namespace sunup::report
