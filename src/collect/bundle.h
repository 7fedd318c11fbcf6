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

// What tells which values are secret.
struct Given {
  std::optional<std::string> text = {};
  std::string trouble = {};  // it is there and cannot be read, and why
};

struct Material {
  timeline::Sources sources = {};
  Given config = {};       // the node config, as it is
  Given nbc_command = {};  // the command file that may stand in for it
  struct Log {
    std::string name;  // in the bundle
    std::string text;
    bool free_text = true;  // anybody may have written anything into it
  };
  std::vector<Log> more_logs = {};
  std::vector<std::string> missing = {};  // "NAME: why", of what was looked for
};
// The logs beside the timeline's sources, the config and the command file. `directory` is empty for this machine, else
// the copy of a machine's disk or of its logs, as gather_from_directory() takes it.
void add_logs(Material& material, host::Files& files, const std::string& directory);

struct Bundle {
  std::vector<std::pair<std::string, std::string>> files;  // redacted
  std::vector<std::string> left_out;                       // and why
  std::string sieves;                                      // how secrets were looked for, when that was not by value
};
// Texts are cleaned on their way in, once, and the pictures are made of what was cleaned. Where a config or a command
// is there and cannot be read, its secrets are not known: then no free text comes in either.
Bundle make_bundle(Material material);

// As bytes of a .tar.zst; `modified` (seconds since 1970) is every member's time.
Result<std::string> pack(const Bundle& bundle, int64_t modified);

}  // namespace sunup::collect
