// What a step has left on the disk, so that a later run can tell whether it is still there. Nothing is read for it: a
// file is known by its mode, owner, size and time of change (st_ctime, which nobody can set back).
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/graph.h"
#include "engine/step.h"
#include "host/files.h"

namespace sunup::engine {

// Path -> what is there, in words: "file 0644 ...", "link /run/x", "absent".
using Outputs = std::map<std::string, std::string>;

// The files that a step answers for. One that several steps write is the last one's; temporary and shared ones are
// nobody's.
class OwnedFiles {
 public:
  explicit OwnedFiles(const Graph& graph);
  const std::vector<const FileEffect*>& of(size_t step) const { return files_[step]; }

 private:
  std::vector<std::vector<const FileEffect*>> files_;
};

// What is there now of these files, and of those that the step came to know of while it ran.
Outputs look_at_outputs(host::Files& files, const std::vector<const FileEffect*>& owned,
                        const std::set<std::string>& more);

// Adds the links by which systemd starts these units at boot, as far as there are any: a unit that is disabled later
// has lost one.
void add_links_of_units(host::Files& files, const std::vector<std::string>& units, Outputs& outputs);

// Empty: what was recorded is still there, and a record covers all that the step answers for. Else the difference, for
// people.
std::string difference(host::Files& files, const Outputs& recorded, const std::vector<const FileEffect*>& owned);

}  // namespace sunup::engine
