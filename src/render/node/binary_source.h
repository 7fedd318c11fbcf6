// Where a node's programs come from: what the image has cached, else a registry or a download. Pure decisions over a
// listing of files; nothing is touched here.
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
  kCachedBinary,   // a program under its versioned name: rename it into place
  kCachedPackage,  // .deb or .rpm: take one member out of it
  kCachedArchive,  // .tar.gz
  kCachedSysext,   // .raw
  kInPlace,        // the program already stands where it belongs
  kUnmarked,       // one stands there, and nobody wrote down its version: it is asked for it
  kOnlinePackage,  // from the distribution's repository
  kOnlineSysext,   // `where` is a repository; the tag starts with `version`
  kRegistry,       // an OCI artifact
  kUrl,
};

struct BinarySource {
  SourceKind kind;
  std::string where;    // a path, a URL or an OCI reference
  std::string version;  // of what is to be found online
  bool operator==(const BinarySource&) const = default;
};

// In the order of preference; the first that works is used. Never empty: an error says what exit code is due.
using BinarySources = std::vector<BinarySource>;

// `tool` is "kubelet" or "kubectl".
Result<BinarySources> kube_binary_sources(std::string_view tool, const Configuration& config, const NodeFacts& facts);

// `package_version` is that of the image's component list; empty: unknown, and any will do.
Result<BinarySources> credential_provider_sources(const Configuration& config, const NodeFacts& facts,
                                                  std::string_view package_version);

// The newest of the files in `folder` whose name holds `name` and exactly `version` ("1.34.1" is not in "1.34.10").
// An empty version matches any. Empty when there is none.
std::string newest_cached(const NodeFacts& facts, std::string_view folder, std::string_view name,
                          std::string_view version, std::string_view suffix = {});

// A kube tool that stands in place is taken for one version only if the file beside it says so: the version, and how
// many bytes the program had when that was written ("1.34.1 58123456"; an image's builder may leave the number out).
// Without it the program itself is asked; one of another version is replaced.
std::string kube_version_file(std::string_view tool);  // "/opt/bin/kubelet.version"
std::string version_mark(std::string_view kubernetes_version, uint64_t size);
// Is this text the mark of a program of that size? `version` comes back without its leading "v"; empty: it is not.
std::string marked_version(std::string_view mark, uint64_t size);
// Does a tool of the config's version stand in place?
bool kube_tool_in_place(std::string_view tool, const Configuration& config, const NodeFacts& facts);

// "1.34.1" is in "kubelet_1.34.1-2_amd64.deb" and not in "1.34.10" or "11.34.1". An empty version is in everything.
bool holds_version(std::string_view text, std::string_view version);

}  // namespace sunup::render::node
