// Programs out of archives, and archives from the network: what an image does not have ready is unpacked or fetched
// here, and becomes visible whole or not at all.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "host/host.h"

namespace sunup::plan {

// The regular files of a .tar.gz whose path (without a leading "./") `wanted` accepts, by path.
using Members = std::map<std::string, std::string>;
Result<Members> read_tar_gz(std::string_view archive, const std::function<bool(std::string_view path)>& wanted);

// Unpacks the plain files at the top of a .tar.gz into a folder, 0755.
host::Task<Result<void>> extract_all(host::Host& host, std::string archive, std::string folder);

// Unpacks the one member whose path ends with "/<name>" (or is it) to `to`, 0755.
host::Task<Result<void>> extract_program(host::Host& host, std::string archive, std::string name, std::string to);

// GETs a URL into a file (0644). An answer that is not 200 is an error.
host::Task<Result<void>> download(host::Host& host, std::string url, std::string to);

}  // namespace sunup::plan
