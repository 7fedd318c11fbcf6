// Prints a plan for people and programs: the steps in their order, the files and units that they change, and the
// critical path to kubelet's start.
#pragma once

#include <string>

#include "engine/graph.h"
#include "plan/declaration.h"

namespace sunup::plan {

// `subject` is the input of the plan. If it is given, files that come from variables of a command name them.
std::string plan_text(const engine::Graph& graph, const Subject* subject = nullptr);
// {"steps":[{"name","purpose","needs":[],"provides":[],"phase":"critical|completion|deferred",
//            "files":[{"path","mode","command":[]}],"units":[],"fatal","exit_code" (null if it is not fatal),
//            "deadline" (seconds, for all attempts together),"retries"}],"critical_path":[]}
std::string plan_json(const engine::Graph& graph, const Subject* subject = nullptr);
std::string plan_dot(const engine::Graph& graph);  // for Graphviz

}  // namespace sunup::plan
