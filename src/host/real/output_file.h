// Writes a file that a person named with --out. The method depends on what exists at the path: a regular file is
// replaced atomically (a reader sees the old one or the new one), a symlink is followed, and a device, FIFO or open
// descriptor is written into. Unlike Files::write, which writes to a node's disk, it creates no directories, so a
// mistyped path is an error.
//
//   if (auto written = write_output(options.out, page); !written) return complain(written.error());
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace sunup::host::real {

// The path may be relative. A new file gets `mode` minus the umask; an existing one keeps the bits of its own mode that
// `mode` allows.
Result<void> write_output(const std::string& path, std::string_view content, mode_t mode = 0666);

}  // namespace sunup::host::real
