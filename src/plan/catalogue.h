// The step catalogue of native provisioning: all steps, and the graph of those that a config needs on an image.
//
//   auto subject = std::make_shared<Subject>(Subject{config, gather_facts(host.files, config)});
//   Result<engine::Graph> graph = derive(subject);
//   engine::Report report = co_await engine::run(host, *graph, options);
#pragma once

#include "engine/graph.h"
#include "plan/declaration.h"

namespace sunup::plan {

const std::vector<Declaration>& catalogue();

// nullptr if there is no such step.
const Declaration* find_step(std::string_view name);

// The milestone is the start of kubelet, or the start of containerd if the run only prepares an image. An image that
// cannot be read is an error (NodeFacts::image).
Result<engine::Graph> derive(const SubjectPtr& subject);

// The usual durations of waiting steps on a small machine; they determine the critical path.
engine::Profile usual_profile();

}  // namespace sunup::plan
