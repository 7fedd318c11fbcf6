// Functions that the steps for NVIDIA GPUs share.
#pragma once

#include "host/processes.h"
#include "plan/declaration.h"

namespace sunup::plan {

inline bool has_gpu(const Subject& s) {
  return s.config.gpu_config().enable_nvidia();
}

// The error has its own exit code if nvidia-smi reports broken firmware of a card.
Task<Result<void>> run_gpu_program(Context& c, host::Command command);

// Removes the driver that was built into the image (render::node::drops_prebaked_driver). A driver in use stays, and so
// does its marker.
Task<Result<void>> drop_prebaked_driver(Context& c, NodeFacts facts);

// The files that this changes.
std::vector<FileEffect> prebaked_driver_files(const NodeFacts& facts);

}  // namespace sunup::plan
