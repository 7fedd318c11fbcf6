// The message of the day.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// dnf's automatic updates would overwrite the message, so this makes them report to standard output only.
std::string without_motd_emitter(std::string_view automatic_conf);

Result<NodeFiles> motd_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node
