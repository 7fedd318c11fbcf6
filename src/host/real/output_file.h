// A file that a person named with --out. What is there decides how it is written: a regular file is replaced at once
// (a reader sees the old one or the new one), a symlink is followed, and a device, FIFO or open descriptor is written
// into. Unlike Files::write, which lays out a node's disk, it makes no directories: a slip of the pen is an error.
//
//   if (auto written = write_output(options.out, page); !written) return complain(written.error());
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::host::real {

// The path may be relative. A new file gets `mode` less the umask; an existing one keeps its own as far as `mode`
// allows.
Result<void> write_output(const std::string& path, std::string_view content, mode_t mode = 0666);

}  // namespace sunup::host::real
