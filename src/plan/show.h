// A plan for people and programs: what will be done in which order, which files and units it touches, and what decides
// when kubelet starts.
#pragma once

#include <string>

#include "engine/graph.h"
#include "plan/declaration.h"

namespace sunup::plan {

// `subject`, if given, is what the plan is for: files that come from a command's variables name them.
std::string plan_text(const engine::Graph& graph, const Subject* subject = nullptr);
// {"steps":[{"name","purpose","needs":[],"provides":[],"phase":"critical|completion|deferred",
//            "files":[{"path","mode","command":[]}],"units":[],"fatal","exit_code" (null if it is not fatal),
//            "deadline" (seconds, for all attempts together),"retries"}],"critical_path":[]}
std::string plan_json(const engine::Graph& graph, const Subject* subject = nullptr);
std::string plan_dot(const engine::Graph& graph);  // for Graphviz

}  // namespace sunup::plan
