// What the verbs around timelines share: paths, and where output goes.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "host/real/machine.h"

namespace sunup {

// The host's files go by whole paths; people do not.
std::string absolute(const std::string& path);

// Writes to what --out names (host/real/output_file.h); nothing or - is stdout.
Result<void> put(const std::string& file, std::string_view content, mode_t mode = 0666);

}  // namespace sunup
