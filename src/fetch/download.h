// A file from the network: there whole and verified, or not at all.
//
//   Download what{.url = "https://x/kubelet.tar.gz", .to = "/opt/kubelet/downloads/kubelet.tar.gz"};
//   if (auto got = co_await download(outside, std::move(what)); !got) co_return got;
//
// The bytes go to `<to>.part` as they come and are renamed at the end. A connection that breaks is taken up where it
// broke: always when the digest is known, otherwise within one call and only if the server says that the file is still
// the same. A file that is there with the wanted digest is not fetched again.
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
  std::string sha256 = {};               // hexadecimal; empty: unknown, and only what the server says can be checked
  std::optional<uint64_t> size = {};     // nothing: unknown
  uint64_t at_most = uint64_t{1} << 30;  // bytes
  bool durable = false;                  // a power cut leaves it whole or leaves nothing
};

host::Task<Result<void>> download(Outside outside, Download what);

}  // namespace sunup::fetch
