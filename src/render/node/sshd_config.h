// Disables public-key login in sshd's config without changing settings that apply to certain users only (Match blocks).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// Sets every global PubkeyAuthentication line to "no". If there is none, the line is inserted before the first Match
// block or at the end.
std::string without_pubkey_auth(std::string_view sshd_config);

// SSH is enabled unless the config disables it.
bool disables_ssh(const Configuration& config);

// The edited /etc/ssh/sshd_config (0600), if the config requests the change and SSH stays enabled. It must pass `sshd
// -t` before it replaces the current file.
Result<NodeFiles> sshd_config_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node
