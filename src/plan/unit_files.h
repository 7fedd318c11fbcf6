// Has systemd read the unit files that steps wrote? A reload has the answer be yes, but it runs every generator and
// keeps the manager busy for longer than all our own work before containerd takes: it is worth asking first.
#pragma once

#include <string>

#include "plan/declaration.h"

namespace sunup::plan {

// Touched by a step that comes after files of other units than the one it starts. These are not looked at one by one,
// so it has systemd read everything.
inline constexpr char kUnitFiles[] = "unit files";

bool comes_after_other_units(const Context& context);

// Before a start: sees to it that the unit is started from the files that are there now.
Task<Result<void>> have_read(Context& context, std::string unit);
// After a start without that, of a unit which the manager did not hold in memory and so had to read: sees that it did.
Task<Result<void>> see_what_was_read(Context& context, std::string unit);

// Was one of the step's files written after the service's program was started?
Task<Result<bool>> runs_from_older_files(Context& context, SubjectPtr subject, std::string service,
                                         std::string_view step);

}  // namespace sunup::plan
