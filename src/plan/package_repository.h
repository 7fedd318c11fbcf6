// Downloads a package from the distribution's repository with the distribution's own tool, which knows the keys of the
// repository and verifies the package. Nothing is installed.
#pragma once

#include <string>
#include <string_view>

#include "plan/declaration.h"
#include "render/node/binary_source.h"

namespace sunup::plan {

// The path of the package's file.
Task<Result<std::string>> fetch_package(Context& c, SubjectPtr s, const NodeFacts& facts, node::BinarySource source);

std::string package_folder(std::string_view name);

}  // namespace sunup::plan
