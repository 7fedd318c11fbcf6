// Reads a file up to a size limit, because logs grow without bounds and memory usage must not. Of a longer file the
// first and the last part are read, in whole lines: the first boot is at the start, the last failure at the end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/files.h"

namespace sunup::timeline {

struct BoundedText {
  std::string text;
  uint64_t left_out = 0;  // bytes
};
Result<BoundedText> read_ends(host::Files& files, const std::string& path, size_t most);

// "cut: 12 MiB in its middle are omitted, it has 28 MiB"; empty if the file is complete.
std::string said_of_cut(const BoundedText& read);

// The possible paths of a node's file in a copied directory: in a bundle (only the file name), or in a copy of
// /var/log/azure, of /var/log or of the whole disk.
std::vector<std::string> places(const std::string& directory, std::string_view on_node);

// "neither at d/cloud-init.log nor at d/var/log/cloud-init.log".
std::string not_at(const std::vector<std::string>& places);

}  // namespace sunup::timeline
