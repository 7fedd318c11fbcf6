// This node's identity, as its creator wants it: host name, /etc/hosts, the admin user with keys and sudo, ssh host
// keys. Every function leads to the same state however often it is called and wherever it was cut off.
#pragma once

#include <string>
#include <vector>

#include "azure/ovf_env.h"
#include "base/result.h"
#include "host/host.h"

namespace sunup::guest {

// In /etc/hostname, in the kernel and in /etc/hosts. Nothing is started for it.
Result<void> set_host_name(host::Host& host, const std::string& name);

// /etc/hosts with the name on the line of 127.0.1.1, which is added if there is none.
std::string hosts_with(std::string_view before, const std::string& name);

// The user, its groups, sudo without a password, its keys. Fine if there is no user to make. Keys that are there stay.
host::Task<Result<void>> make_user(host::Host& host, azure::OvfEnvironment environment);

// New host keys: those of the image, or of the VM that it was captured from, are nobody's identity. A ssh server that
// runs with the old ones is restarted.
host::Task<Result<void>> make_host_keys(host::Host& host);

}  // namespace sunup::guest
