// Transparent huge pages: the values now, and over a reboot. Values never become part of a program's text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/kernel_settings.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// What to write below /sys now. Exit code 103 for a value that no kernel knows how to spell.
Result<std::vector<KernelSetting>> huge_page_settings(const Configuration& config);

// /etc/sysfs.conf, and where nothing reads that, a unit with one value file for each setting.
Result<NodeFiles> huge_page_files(const Configuration& config, const NodeFacts& facts);

// Value files of an earlier config that this one does not set.
std::vector<std::string> stale_huge_page_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node
