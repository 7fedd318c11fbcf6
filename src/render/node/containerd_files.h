// containerd's files: its config, the drop-ins of its unit, the CNI template of kubenet.
#pragma once

#include "base/result.h"
#include "render/node/facts.h"
#include "render/node/node_file.h"

namespace sunup::render::node {

// Whether the image has a config of its own for NVIDIA's runtime. Such a file is kept unmodified.
bool keeps_image_containerd_config(const Configuration& config, const NodeFacts& facts);

// A GPU node on which a tag disables the installation of the driver runs containers without NVIDIA's runtime.
bool skips_gpu_driver(const Configuration& config, const NodeFacts& facts);

Result<NodeFiles> containerd_files(const Configuration& config, const NodeFacts& facts);

}  // namespace sunup::render::node
