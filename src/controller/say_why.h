// The description of a failure: the Verdict in provision.json, which is also announced where it can be read without
// logging in.
#pragma once

#include "controller/node.h"
#include "controller/outcome.h"
#include "host/task.h"
#include "report/failure.h"

namespace sunup::controller {

// Redacted, like all output of this program.
report::Failure failure_of(Node& node, const Outcome& outcome);

// Adds the progress of the run, from the files that it has left, to an outcome without it.
host::Task<Outcome> with_timeline(Node& node, Outcome outcome);

// Call it after the result is written. An error here does not change the outcome.
host::Task<void> say_why(Node& node, Outcome outcome);

}  // namespace sunup::controller
