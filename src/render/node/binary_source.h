// Determines where a node's programs come from: the image's cache, a registry or a download. These functions only
// decide, based on a listing of files; they do not modify anything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

enum class SourceKind : uint8_t {
  kCachedBinary,   // a program under its versioned name: it is renamed
  kCachedPackage,  // .deb or .rpm: one member is extracted
  kCachedArchive,  // .tar.gz
  kCachedSysext,   // .raw
  kInPlace,        // the program is already installed
  kUnmarked,       // a program without a version file is installed: run it to get its version
  kOnlinePackage,  // from the distribution's repository
  kOnlineSysext,   // `where` is a repository; the tag starts with `version`
  kRegistry,       // an OCI artifact
  kUrl,
};

struct BinarySource {
  SourceKind kind;
  std::string where;    // a path, a URL or an OCI reference
  std::string version;  // of the program to find online
  bool operator==(const BinarySource&) const = default;
};

// In order of preference; the first one that works is used. Never empty: if there is none, the result is an error with
// the exit code.
using BinarySources = std::vector<BinarySource>;

// `tool` is "kubelet" or "kubectl".
Result<BinarySources> kube_binary_sources(std::string_view tool, const Configuration& config, const NodeFacts& facts);

// `package_version` comes from the image's component list. Empty means that it is unknown, and any version is accepted.
Result<BinarySources> credential_provider_sources(const Configuration& config, const NodeFacts& facts,
                                                  std::string_view package_version);

// The newest file in `folder` whose name contains `name` and exactly `version` ("1.34.1" is not in "1.34.10"). An empty
// version matches any. Empty if there is no such file.
std::string newest_cached(const NodeFacts& facts, std::string_view folder, std::string_view name,
                          std::string_view version, std::string_view suffix = {});

// An installed kube tool counts as a certain version only if the version file beside it states the version, and the
// size that the program had when the file was written ("1.34.1 58123456"; image builders may omit the size). Without
// the file the program itself is run to get its version. A program of another version is replaced.
std::string kube_version_file(std::string_view tool);  // "/opt/bin/kubelet.version"
std::string version_mark(std::string_view kubernetes_version, uint64_t size);
// Returns the version, without its leading "v", if this text is the mark of a program of that size. Otherwise empty.
std::string marked_version(std::string_view mark, uint64_t size);
// Whether a tool of the config's version is installed.
bool kube_tool_in_place(std::string_view tool, const Configuration& config, const NodeFacts& facts);

// "1.34.1" is in "kubelet_1.34.1-2_amd64.deb" but not in "1.34.10" or "11.34.1". Any text contains an empty version.
bool holds_version(std::string_view text, std::string_view version);

}  // namespace sunup::render::node
