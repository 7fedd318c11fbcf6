// Reads no more of a file than fits: logs grow without bounds, and a program that looks at them must not grow with
// them. Of a longer file the first and the last part are taken, in whole lines: the first boot is at its start, the
// last failure at its end.
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

// "its middle was left out (12 MiB of 28 MiB)"; empty: nothing was.
std::string said_of_cut(const BoundedText& read);

// Where a file of a node may be in what somebody copied off it: a bundle (by its name alone), a copy of /var/log/azure,
// of /var/log or of the whole disk.
std::vector<std::string> places(const std::string& directory, std::string_view on_node);

// "not at d/cloud-init.log nor d/var/log/cloud-init.log": by itself, and where a copied disk has it.
std::string not_at(const std::vector<std::string>& places);

}  // namespace sunup::timeline
