// Has systemd read the unit files that steps wrote? A reload has the answer be yes, but it runs every generator and
// keeps the manager busy for longer than all our own work before containerd takes: it is worth asking first.
#pragma once

#include <string>

#include "plan/declaration.h"

namespace sunup::plan {

// Touched by a step that comes after files of other units than the one it starts: these are not looked at one by one.
inline constexpr char kUnitFiles[] = "unit files";

// Before a start: sees to it that the unit is started from the files that are there now. One that the manager does not
// hold in memory it reads by itself; then it cannot run either, and the answer is false.
Task<Result<bool>> have_read(Context& context, std::string unit);
// After it: sees that it was. `now` is the unit's state since.
Task<Result<void>> see_what_was_read(Context& context, std::string unit, host::UnitState now, host::JobWait wait);

// Was one of the step's files written after the service's program was started?
Task<bool> runs_from_older_files(Context& context, SubjectPtr subject, std::string service, std::string_view step);

}  // namespace sunup::plan
