// The enabled-features file of a node: one KEY=VALUE line for each feature that the control plane switched on. It is
// read line by line and never run as a script.
#pragma once

#include <string>

#include "aksnodeconfig/v1/configuration.pb.h"

namespace sunup::render {

// Sorted by key. Keys that are no shell identifiers and values with CR, LF or NUL are left out, because the file has no
// way to quote them. Empty: there is no feature, and no file is needed.
std::string features_file(const aksnodeconfig::v1::Configuration& config);

}  // namespace sunup::render
