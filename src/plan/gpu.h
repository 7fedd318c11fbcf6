// What the steps around NVIDIA GPUs share.
#pragma once

#include "host/processes.h"
#include "plan/declaration.h"

namespace sunup::plan {

// The error of nvidia-smi has a code of its own when it says that a card's firmware is broken.
Task<Result<void>> run_gpu_program(Context& c, host::Command command);

// Takes out the driver that the image was built with (render::node::drops_prebaked_driver). A driver in use stays, and
// so does the mark that it is there.
Task<Result<void>> drop_prebaked_driver(Context& c, NodeFacts facts);

// What that touches.
std::vector<FileEffect> prebaked_driver_files(const NodeFacts& facts);

}  // namespace sunup::plan
