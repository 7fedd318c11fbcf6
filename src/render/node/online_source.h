// Properties of a program that has to be downloaded: the path of the download, the tag, and the exit code of a failure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "render/node/binary_source.h"

namespace sunup::render::node {

// Whether it needs the network.
bool is_online(SourceKind kind);

// The exit code that the ecosystem uses for a failure of this kind of source. `program` is "kubelet", "kubectl" or
// "azure-acr-credential-provider".
int failure_code(SourceKind kind, std::string_view program);

// The path of a download. It is kept until the programs in it have been unpacked; an extension is kept permanently.
std::string download_path(const BinarySource& source, std::string_view program, const NodeFacts& facts);

// The newest tag of an extension's repository for exactly this version ("v1.34.1" is not in "v1.34.10-1") and
// architecture. A version that is already a complete tag is returned unmodified. Empty if there is none.
std::string newest_sysext_tag(const std::vector<std::string>& tags, std::string_view version, std::string_view arch);

}  // namespace sunup::render::node
