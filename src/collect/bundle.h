// The support bundle: what somebody needs to see why a node did not come up, and nothing that they must not see. One
// tar.zst; unpacked it is a directory that `sunup timeline DIR` reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "host/files.h"
#include "timeline/sources.h"

namespace sunup::collect {

struct Material {
  timeline::Sources sources = {};
  std::optional<std::string> config = {};                           // the node config, as it is
  std::vector<std::pair<std::string, std::string>> more_logs = {};  // name in the bundle, content
};
// The logs beside the timeline's sources, and the config. `root` is "" or the copy of a machine's disk.
void add_logs(Material& material, host::Files& files, const std::string& root);

struct Bundle {
  std::vector<std::pair<std::string, std::string>> files;  // redacted
  std::vector<std::string> left_out;                       // and why
};
// The config is only in it when its secrets are known, that is, when it can be read.
Bundle make_bundle(Material material);

// As bytes of a .tar.zst; `modified` (seconds since 1970) is every member's time.
Result<std::string> pack(const Bundle& bundle, int64_t modified);

}  // namespace sunup::collect
