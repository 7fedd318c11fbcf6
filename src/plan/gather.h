// The facts about this node before anything runs, read from its files. No process is started for them, because every
// process delays kubelet.
#pragma once

#include "aksnodeconfig/v1/configuration.pb.h"
#include "host/files.h"
#include "render/node/facts.h"

namespace sunup::plan {

// What the image contains is read when it is asked for, and recorded (`NodeFacts::image`), so `files` must exist as
// long as the facts do. An error names a file that exists and cannot be read.
// `files_only`: the image is a tree, whose architecture may differ from that of this program.
Result<render::node::NodeFacts> gather_facts(host::Files& files, const aksnodeconfig::v1::Configuration& config,
                                             bool files_only = false);

// The image below `files`, each question answered once.
std::shared_ptr<render::node::Image> recorded_image(host::Files& files);

// The error of the image, as a plan or a step reports it. Without an error, there is none.
std::optional<Error> image_error(std::optional<Error> error);

}  // namespace sunup::plan
