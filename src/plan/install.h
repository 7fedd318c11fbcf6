// Installs a program from one of its sources (render/node/binary_source.h). The program appears only when it is
// complete and executable.
#pragma once

#include <string>
#include <vector>

#include "fetch/outside.h"
#include "plan/declaration.h"
#include "render/node/binary_source.h"

namespace sunup::plan {

struct Program {
  std::string name;  // in archives, packages and extensions
  std::string to;
  std::string mark = {};     // the file with its version (render/node/binary_source.h); empty: none is written
  std::string version = {};  // of the installed program
};

// The network settings of this config for downloads.
fetch::Outside outside(Context& c, const SubjectPtr& s);
// The steps that must precede a download; a copy in the image does not need them.
Names download_needs(const Subject& s);

// Installs from the first source that works. The error names all sources that were tried and has the exit code of the
// last one. It is ENODATA (fetch::worth_retrying) only if no source is worth another attempt.
Task<Result<void>> install(Context& c, SubjectPtr s, NodeFacts facts, node::BinarySources sources, Program program);

// Installs a program from an archive at a URL.
Task<Result<void>> install_from_url(Context& c, SubjectPtr s, std::string url, std::string archive, Program program);

// The files that a source changes besides the program itself.
std::vector<FileEffect> install_effects(const node::BinarySource& source, std::string_view program,
                                        const NodeFacts& facts);

}  // namespace sunup::plan
