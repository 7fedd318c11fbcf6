// A package out of the distribution's repository, by the distribution's own tool: it knows the repository's keys, and
// verifies what it fetches. The file is only fetched, nothing is installed.
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
