// What a node loads first is read into memory before anybody asks for it: on a cold disk kubelet and containerd wait
// longer for their pages than for anything else. This is the part that can be done before the config is known;
// provision_natively() names the rest.
#pragma once

#include <string>
#include <vector>

#include "host/files.h"

namespace sunup::controller {

// This program, containerd, and kubelet if the image has only one.
std::vector<std::string> first_programs(host::Files& files);

}  // namespace sunup::controller
