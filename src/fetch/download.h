// Downloads a file. The file is complete and verified, or absent.
//
//   Download what{.url = "https://x/kubelet.tar.gz", .to = "/opt/kubelet/downloads/kubelet.tar.gz"};
//   if (auto got = co_await download(outside, std::move(what)); !got) co_return got;
//
// Data is written to `<to>.part`, which is renamed at the end. A broken download is resumed: always if the digest is
// known, otherwise only within one call and if the server confirms that the file has not changed. A file that already
// exists with the expected digest is not downloaded again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fetch/outside.h"

namespace sunup::fetch {

struct Download {
  std::string url = {};
  std::string to = {};
  Headers headers = {};
  std::string sha256 = {};               // hexadecimal; empty: unknown, only data from the server can be verified
  std::optional<uint64_t> size = {};     // empty: unknown
  uint64_t at_most = uint64_t{1} << 30;  // bytes
  bool durable = false;                  // after a power failure it is complete or absent
};

host::Task<Result<void>> download(Outside outside, Download what);

}  // namespace sunup::fetch
