// Switching public-key login off in sshd's config without touching what applies to some users only (Match blocks).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// Every global PubkeyAuthentication line says no; without one, the line is put before the first Match block or at the
// end.
std::string without_pubkey_auth(std::string_view sshd_config);

// SSH itself is on unless the config says otherwise.
bool disables_ssh(const Configuration& config);

// The edited /etc/ssh/sshd_config (0600), if the config asks for it and SSH stays on. Check it with `sshd -t` before it
// takes the old one's place.
Result<NodeFiles> sshd_config_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node
