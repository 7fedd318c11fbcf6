// Downloads programs and extensions from a container registry.
#pragma once

#include <string>

#include "plan/declaration.h"
#include "render/node/binary_source.h"

namespace sunup::plan {

// The file of an artifact that contains the program: a package, the program itself, or an archive.
Task<Result<void>> pull_program(Context& c, SubjectPtr s, const NodeFacts& facts, node::BinarySource source,
                                std::string program, std::string to);

// The image of an extension, with the newest matching tag. It is durable, because an extension is used from the file
// that it was downloaded to.
Task<Result<void>> pull_extension(Context& c, SubjectPtr s, const NodeFacts& facts, node::BinarySource source,
                                  std::string to);

}  // namespace sunup::plan
