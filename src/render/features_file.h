// The enabled-features file of a node: one KEY=VALUE line for each feature that the control plane enabled. It is parsed
// line by line and never executed as a script.
#pragma once

#include <string>

#include "aksnodeconfig/v1/configuration.pb.h"

namespace sunup::render {

// Sorted by key. Keys that are not shell identifiers and values with CR, LF or NUL are omitted, because the file format
// has no quoting. Empty if there are no features; then no file is needed.
std::string features_file(const aksnodeconfig::v1::Configuration& config);

}  // namespace sunup::render
