// The facts about this node at the start, read from its files. No process is started to determine them, because every
// process delays kubelet.
#pragma once

#include "aksnodeconfig/v1/configuration.pb.h"
#include "host/files.h"
#include "render/node/facts.h"

namespace sunup::plan {

// The content of the image is read on demand and recorded (`NodeFacts::image`), so `files` must outlive the facts. An
// error names a file that exists and cannot be read. `files_only`: the image is a tree, whose architecture may differ
// from that of this program.
Result<render::node::NodeFacts> gather_facts(host::Files& files, const aksnodeconfig::v1::Configuration& config,
                                             bool files_only = false);

// The image below `files`; each query is answered once and recorded.
std::shared_ptr<render::node::Image> recorded_image(host::Files& files);

// The error of the image as a plan or a step reports it; empty without an error.
std::optional<Error> image_error(std::optional<Error> error);

}  // namespace sunup::plan
