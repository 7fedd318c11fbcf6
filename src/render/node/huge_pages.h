// Transparent huge pages: the current values, and the files that restore them after a reboot. Values never become part
// of a program's text.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/kernel_settings.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// The values to write below /sys now. Exit code 103 for a value that is not a keyword of the kernel.
Result<std::vector<KernelSetting>> huge_page_settings(const Configuration& config);

// /etc/sysfs.conf or, where nothing reads that file, a unit and one value file for each setting.
Result<NodeFiles> huge_page_files(const Configuration& config, const NodeFacts& facts);

// Value files of an earlier config that this config does not set.
std::vector<std::string> stale_huge_page_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node
