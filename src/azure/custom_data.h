// Reads the custom data of a VM in every form that control planes send, without running any of it: which files it puts
// on the node, and whether that is all it does.
//
//   our boothook in MIME                    `sunup render custom-data`
//   the original's boothook, MIME or bare   here-documents, base64, gzip
//   cloud-config with write_files           all encodings of cloud-init
//   Ignition                                data URLs, gzip
//   any of them in gzip, in base64, or both
//
//   Result<CustomData> data = read_custom_data(bytes);
//   if (!data) ...                             // broken: cut, two configs, not custom data at all
//   if (!data->not_understood.empty()) ...     // sound, but it wants something that only cloud-init does
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/node_paths.h"
#include "base/result.h"

namespace sunup::azure {

inline constexpr auto& kNbcCommandFile = paths::kNbcCommand;

// Azure accepts 64 KiB. What is packed inside may be larger, but no node's config is near this.
inline constexpr size_t kLargestCustomData = 1u << 20;
inline constexpr size_t kLargestUnpacked = 16u << 20;

struct NodeFile {
  std::string path;  // absolute, without "..", "." and empty parts
  std::string content;
  mode_t mode = 0600;

  bool operator==(const NodeFile&) const = default;
};

struct CustomData {
  std::vector<NodeFile> files;  // in the order in which they are to be written
  // The first thing in it that is not read here, as one clause: "the boothook runs 'python3'".
  std::string not_understood;

  // The file at that path; nullptr: none.
  const NodeFile* file(std::string_view path) const;
  // Adds what another part of the same document says. The first that is not understood stays.
  void add(CustomData other);
};

// If it is understood, it holds a node config or a command file.
Result<CustomData> read_custom_data(std::string_view bytes);

}  // namespace sunup::azure
