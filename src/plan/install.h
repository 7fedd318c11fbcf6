// A program put in place from one of its sources (render/node/binary_source.h says which there are), whole and
// executable or not at all.
#pragma once

#include <string>
#include <vector>

#include "fetch/outside.h"
#include "plan/declaration.h"
#include "render/node/binary_source.h"

namespace sunup::plan {

struct Program {
  std::string name;  // as archives, packages and extensions call it
  std::string to;
  std::string mark = {};     // the file that tells its version (render/node/binary_source.h); empty: none is left
  std::string version = {};  // of what is put in place
};

// The network as this config wants it used.
fetch::Outside outside(Context& c, const SubjectPtr& s);
// The steps that a download comes after, and the image's own copy does not.
Names download_needs(const Subject& s);

// From the first source that works. The error names all that were tried, and has the exit code of the last. It is
// ENODATA (fetch::worth_retrying) only if nothing that was tried could have it another time.
Task<Result<void>> install(Context& c, SubjectPtr s, NodeFacts facts, node::BinarySources sources, Program program);

// A program in an archive behind a URL.
Task<Result<void>> install_from_url(Context& c, SubjectPtr s, std::string url, std::string archive, Program program);

// The files of this image that kubelet and containerd are loaded from, in the order in which they are needed.
std::vector<std::string> programs_to_start(const Subject& s);

// What a source touches besides the program itself.
std::vector<FileEffect> install_effects(const node::BinarySource& source, std::string_view program,
                                        const NodeFacts& facts);

}  // namespace sunup::plan
