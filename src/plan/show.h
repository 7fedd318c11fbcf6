// A plan for people and programs: what will be done in which order, which files and units it touches, and what decides
// when kubelet starts.
#pragma once

#include <string>

#include "engine/graph.h"

namespace sunup::plan {

std::string plan_text(const engine::Graph& graph);
// {"steps":[{"name","purpose","needs":[],"provides":[],"phase":"critical|completion|deferred",
//            "files":[{"path","mode"}],"units":[]}],"critical_path":[]}
std::string plan_json(const engine::Graph& graph);
std::string plan_dot(const engine::Graph& graph);  // for Graphviz

}  // namespace sunup::plan
