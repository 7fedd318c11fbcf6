// Which steps a run need not do, because an earlier one has: decided once, before the first step starts, from the
// journal and from the files that it names.
#pragma once

#include <string>
#include <vector>

#include "engine/graph.h"
#include "engine/journal.h"

namespace sunup::engine {

struct Resumed {
  const Journal::Done* done = nullptr;  // by an earlier run: the step is skipped. Valid until the journal is written to
  bool left_alone = false;              // belongs to a run that succeeded, and was not done by it: it is dropped
  bool renews = false;                  // as in Context
  std::string why;                      // it is skipped, dropped or runs, for people
};

// One for each step of the graph. `only_deferred` and `again`: as in Options (run.h). Only the files of steps with a
// record are looked at, so a first run looks at none.
std::vector<Resumed> resume(const Graph& graph, const Journal& journal, const OwnedFiles& owned, host::Files& files,
                            bool only_deferred, const std::vector<std::string>& again = {});

}  // namespace sunup::engine
