// Reads the custom data of a VM in every form that control planes send, without running any of it: the files that it
// writes to the node, and whether it does anything else.
//
//   our boothook in MIME                    `sunup render custom-data`
//   the original's boothook, MIME or bare   here-documents, base64, gzip
//   cloud-config with write_files           all encodings of cloud-init
//   Ignition                                data URLs, gzip
//   any of them in gzip, in base64, or both
//
//   Result<CustomData> data = read_custom_data(bytes);
//   if (!data) ...                             // broken: truncated, two configs, not custom data at all
//   if (!data->not_understood.empty()) ...     // valid, but it requests something that only cloud-init supports
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sunup::azure {

// Azure accepts 64 KiB. The unpacked content may be larger, but no node's config is near this limit.
inline constexpr size_t kLargestCustomData = 1u << 20;
inline constexpr size_t kLargestUnpacked = 16u << 20;

struct NodeFile {
  std::string path;  // absolute, without "..", "." and empty parts
  std::string content;
  mode_t mode = 0600;

  bool operator==(const NodeFile&) const = default;
};

struct CustomData {
  std::vector<NodeFile> files;  // in the order in which they must be written
  // The first unsupported item, as one clause: "the boothook runs 'python3'".
  std::string not_understood;

  // The file at that path; nullptr if there is none.
  const NodeFile* file(std::string_view path) const;
  // Adds the content of another part of the same document. The first unsupported item is kept.
  void add(CustomData other);
};

// If everything in it is supported, it contains a node config or a command file.
Result<CustomData> read_custom_data(std::string_view bytes);

// The files of a scripts hotfix, in their order. Members other than write_files are ignored, as by the original. The
// error names the first invalid entry.
Result<std::vector<NodeFile>> read_hotfix_files(std::string_view yaml);

}  // namespace sunup::azure
