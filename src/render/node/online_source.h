// What is known beforehand of a program that has to be fetched: where the download is kept, which tag it is, and what a
// failure is called.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "render/node/binary_source.h"

namespace sunup::render::node {

// Is the network needed for it?
bool is_online(SourceKind kind);

// The exit code that the ecosystem knows for a source of this kind that does not work. `program` is "kubelet",
// "kubectl" or "azure-acr-credential-provider".
int failure_code(SourceKind kind, std::string_view program);

// Where a download is kept until the programs in it have been unpacked; for an extension, for good.
std::string download_path(const BinarySource& source, std::string_view program, const NodeFacts& facts);

// Of the tags of an extension's repository the newest for exactly this version ("v1.34.1" is not in "v1.34.10-1") and
// architecture. A version that is a whole tag already is taken as it is. Empty when there is none.
std::string newest_sysext_tag(const std::vector<std::string>& tags, std::string_view version, std::string_view arch);

}  // namespace sunup::render::node
