// What a node image contains and what it lacks, before a node boots from it: `aks-node-controller check-image`.
//
// There is no second list of what a node needs. The programs are those that the steps would use
// (render/node/binary_source.h, cni.h, gpu.h), asked with a config that names no source on the network; the units are
// those that the steps of a plan start and no step writes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/host.h"
#include "render/node/facts.h"

namespace sunup::plan {

enum class Has { kYes, kNo, kUnknown };
std::string_view to_string(Has has);  // "present", "absent", "unknown"

struct ImagePart {
  std::string name;
  std::string version = {};  // if it is known
  Has has = Has::kUnknown;
  bool needed = false;  // the verdict depends on it
  std::string detail;   // where it is, or what is missing
};

struct VersionContent {
  std::string version;
  std::vector<ImagePart> parts;
};

struct ImageContent {
  std::string distribution;  // as render/distro.h names it
  std::string os_id;         // ID of os-release
  std::string os_version;    // VERSION_ID of os-release
  std::string arch;
  std::vector<ImagePart> parts;          // for every node
  std::vector<VersionContent> versions;  // for a node of that Kubernetes version
  std::vector<ImagePart> modes;          // for nodes with a certain network, GPU or feature

  // kNo: something that is needed is absent. kUnknown: nothing is, but something cannot be determined.
  Has verdict() const;
};

struct ImageQuestion {
  std::vector<std::string> versions;  // empty: those of the configs, or those that the image has a kubelet of
  std::vector<aksnodeconfig::v1::Configuration> configs = {};  // of nodes that will be made from the image
  std::vector<std::string> modes;                              // those that count as needed
  bool files_only = false;                                     // the image is a tree: none of its programs can run here
};

// The names that ImageQuestion::modes may contain, with their meaning.
struct ImageMode {
  std::string_view name;
  std::string_view purpose;
};
std::vector<ImageMode> image_modes();

// The error: a file of the image exists and cannot be read, or a mode is unknown (EINVAL).
host::Task<Result<ImageContent>> look_into_image(host::Host& host, ImageQuestion question);

std::string image_content_text(const ImageContent& content);
std::string image_content_json(const ImageContent& content);

}  // namespace sunup::plan
