// This node's identity, as its creator has specified it: host name, /etc/hosts, the admin user with keys and sudo, ssh
// host keys. Every function is idempotent and leads to the same state after an interruption at any point.
#pragma once

#include <string>

#include "azure/ovf_env.h"
#include "base/result.h"
#include "host/host.h"

namespace sunup::guest {

// Sets the name in /etc/hostname, in the kernel and in /etc/hosts, without starting a process.
Result<void> set_host_name(host::Host& host, const std::string& name);

// /etc/hosts with the name on the line of 127.0.1.1, which is added if it is missing.
std::string hosts_with(std::string_view before, const std::string& name);

// Makes the user with its groups, its keys and sudo without a password. A success if no user is requested. Existing
// keys stay.
host::Task<Result<void>> make_user(host::Host& host, azure::OvfEnvironment environment);

// Makes new host keys: the existing ones are those of the image, or of the VM from which it was captured. Restarts an
// ssh server that runs with the old ones.
host::Task<Result<void>> make_host_keys(host::Host& host);

}  // namespace sunup::guest
