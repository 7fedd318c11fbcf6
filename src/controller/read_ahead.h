// Reads the files that a node loads first into memory before they are needed: on a cold disk kubelet and containerd
// wait longer for their pages than for anything else. This part does not depend on the config; provision_natively()
// reads the rest.
#pragma once

#include <string>
#include <vector>

#include "host/files.h"

namespace sunup::controller {

// This program, containerd, and kubelet if the image has only one.
std::vector<std::string> first_programs(host::Files& files);

}  // namespace sunup::controller
