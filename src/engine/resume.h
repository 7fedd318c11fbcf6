// Decides which steps a run can skip because an earlier run has done them. The decision is made once, before the first
// step starts, from the journal and the files that it names.
#pragma once

#include <string>
#include <vector>

#include "engine/graph.h"
#include "engine/journal.h"

namespace sunup::engine {

struct Resumed {
  // Done by an earlier run: the step is skipped. Valid until the journal is written to.
  const Journal::Done* done = nullptr;
  bool left_alone = false;  // belongs to a run that succeeded without doing it: the step is dropped
  bool renews = false;      // as in Context
  std::string why;          // why it is skipped, dropped or run, as readable text
};

// One result per step of the graph. `only_deferred` and `again`: as in Options (run.h). Only files of steps with a
// record are examined, so a first run examines none.
std::vector<Resumed> resume(const Graph& graph, const Journal& journal, const OwnedFiles& owned, host::Files& files,
                            bool only_deferred, const std::vector<std::string>& again = {});

}  // namespace sunup::engine
