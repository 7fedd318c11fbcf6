// Why a provision failed, in one text: what provision.json calls its Verdict and what is announced where it is heard
// without logging in.
#pragma once

#include "controller/node.h"
#include "controller/outcome.h"
#include "host/task.h"
#include "report/failure.h"

namespace sunup::controller {

// Redacted, like everything that leaves this program.
report::Failure failure_of(Node& node, const Outcome& outcome);

// To be called when the result is there: nobody waits for this, and nothing here can fail the provision.
host::Task<void> say_why(Node& node, Outcome outcome);

}  // namespace sunup::controller
