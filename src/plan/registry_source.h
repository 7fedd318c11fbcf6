// Programs and extensions out of a container registry.
#pragma once

#include <string>

#include "plan/declaration.h"
#include "render/node/binary_source.h"

namespace sunup::plan {

// The file of an artifact that holds the program: its package, itself, or an archive.
Task<Result<void>> pull_program(Context& c, SubjectPtr s, const NodeFacts& facts, node::BinarySource source,
                                std::string program, std::string to);

// An extension's image, of the newest tag that fits. Durable: an extension is used where it was downloaded to.
Task<Result<void>> pull_extension(Context& c, SubjectPtr s, const NodeFacts& facts, node::BinarySource source,
                                  std::string to);

}  // namespace sunup::plan
