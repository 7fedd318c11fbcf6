// Makes systemd use the unit files that steps wrote. A reload always does so, but it runs every generator and takes
// longer than everything that precedes containerd's start, so this first checks whether it is necessary.
#pragma once

#include <string>

#include "plan/declaration.h"

namespace sunup::plan {

// Touched by a step that comes after files of units other than the one that it starts. These units are not checked
// individually; systemd reloads all units.
inline constexpr char kUnitFiles[] = "unit files";

bool comes_after_other_units(const Context& context);

// Called before a start: makes sure that the unit is started with its current files.
Task<Result<void>> have_read(Context& context, std::string unit);
// Called after a start without have_read(): checks that systemd, which had not loaded the unit before, has read the
// current files.
Task<Result<void>> see_what_was_read(Context& context, std::string unit);

// Whether one of the step's files was written after the program of the service was started.
Task<Result<bool>> runs_from_older_files(Context& context, SubjectPtr subject, std::string service,
                                         std::string_view step);

}  // namespace sunup::plan
