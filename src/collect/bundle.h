// The support bundle: the data that is needed to find out why a node failed, without secrets. It is a tar.zst archive;
// `sunup timeline DIR` reads the unpacked directory.
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

// A file that contains the secret values.
struct Given {
  std::optional<std::string> text = {};
  std::string trouble = {};  // it exists but cannot be read, with the reason
};

struct Material {
  timeline::Sources sources = {};
  Given config = {};       // the node config, as it is
  Given nbc_command = {};  // the command file that may replace it
  struct Log {
    std::string name;  // in the bundle
    std::string text;
    bool free_text = true;  // it may contain arbitrary text
  };
  std::vector<Log> more_logs = {};
  std::vector<std::string> missing = {};  // "NAME: why", of the expected files
};
// Reads the logs that are not sources of the timeline, the config and the command file. `directory` is empty for this
// machine; otherwise it is a copy of a machine's disk or logs, as for gather_from_directory().
void add_logs(Material& material, host::Files& files, const std::string& directory);

struct Bundle {
  std::vector<std::pair<std::string, std::string>> files;  // redacted
  std::vector<std::string> left_out;                       // and why
  std::string sieves;                                      // how secrets were searched for, if not by value
};
// Texts are redacted once, and the pictures are made from the redacted texts. If a config or a command file exists but
// cannot be read, its secrets are unknown, and all free text is left out.
Bundle make_bundle(Material material);

// The bundle as a .tar.zst; `modified` (seconds since 1970) is the time of every member.
Result<std::string> pack(const Bundle& bundle, int64_t modified);

}  // namespace sunup::collect
