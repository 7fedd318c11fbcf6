// The critical chain: from the goal backwards, each time to what was waited for last.
#pragma once

#include "timeline/model.h"

namespace sunup::timeline {

// Marks points and spans of the chain and fills timeline.chain. The goal is NodeReady if it was reached, else what
// came last on the way there: the failed step, the end of the run, or the last thing that is known. Of a run without an
// end it is the step that is being waited for, which also becomes timeline.waiting_for.
void mark_critical_chain(Timeline& timeline);

}  // namespace sunup::timeline
