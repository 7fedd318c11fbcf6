// The step catalogue of native provisioning: every step there is, and the graph of those that one config needs on one
// image.
//
//   auto subject = std::make_shared<Subject>(Subject{config, gather_facts(host.files, config)});
//   Result<engine::Graph> graph = derive(subject);
//   engine::Report report = co_await engine::run(host, *graph, options);
#pragma once

#include "engine/graph.h"
#include "plan/declaration.h"

namespace sunup::plan {

const std::vector<Declaration>& catalogue();

// nullptr when there is no such step.
const Declaration* find_step(std::string_view name);

// The milestone is kubelet's start, or containerd's for a run that only prepares an image.
Result<engine::Graph> derive(const SubjectPtr& subject);

// How long steps usually take, for the critical path: those that wait for something, on a small machine.
engine::Profile usual_profile();

}  // namespace sunup::plan
