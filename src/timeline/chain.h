// The critical chain: from the goal backwards, each time to the event that was waited for last.
#pragma once

#include "timeline/model.h"

namespace sunup::timeline {

// Marks points and spans of the chain and fills timeline.chain. The goal is NodeReady if it was reached, otherwise the
// last known event: the failed step, the end of the run, or the last point. For a run without an end it is the step
// that is being waited for, which is also stored in timeline.waiting_for.
void mark_critical_chain(Timeline& timeline);

}  // namespace sunup::timeline
