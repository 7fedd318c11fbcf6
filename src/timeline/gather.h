// Gathers the sources of a timeline: from this machine while it runs, or from files copied off one. What is not there
// is said, with the place it was looked for; nothing here fails.
#pragma once

#include <string>

#include "host/files.h"
#include "host/processes.h"
#include "host/task.h"
#include "timeline/sources.h"

namespace sunup::timeline {

// This machine, or (`files_only`) the files below the root of `files`, without systemd and the journal.
host::Task<Sources> gather_from_machine(host::Files& files, host::Processes& processes, std::string boot_id,
                                        bool files_only);

// A directory: a support bundle that was unpacked (journal.json, units.txt, trace.jsonl ...), a copy of /var/log/azure,
// of /var/log or of the whole file system. A binary journal in it is read with this machine's journalctl.
host::Task<Sources> gather_from_directory(host::Files& files, host::Processes& processes, std::string directory);

}  // namespace sunup::timeline
