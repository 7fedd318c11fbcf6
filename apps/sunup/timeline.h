// What the verbs around timelines share: this machine's files and programs, and reading a directory.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "host/real/machine.h"
#include "timeline/build.h"

namespace sunup {

// The timeline of a copied directory, or of the archive's content; an error names what is wrong with it.
Result<timeline::Timeline> timeline_of(host::real::Machine& machine, const std::string& directory,
                                       const std::string& zero);

// The host's files go by whole paths; people do not.
std::string absolute(const std::string& path);

// Writes to what --out names (host/real/output_file.h); nothing or - is stdout.
Result<void> put(const std::string& file, std::string_view content, mode_t mode = 0666);

}  // namespace sunup
