// The state of the files that a step has written, so that a later run can detect whether it still exists. File contents
// are not read: a file is identified by its mode, owner, size and change time (st_ctime, which cannot be set back).
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/graph.h"
#include "engine/step.h"
#include "host/files.h"

namespace sunup::engine {

// Path -> a description of its state: "file 0644 ...", "link /run/x", "absent".
using Outputs = std::map<std::string, std::string>;

// The files that each step is responsible for. A file that several steps write belongs to the last of them. Temporary
// and shared files belong to no step.
class OwnedFiles {
 public:
  explicit OwnedFiles(const Graph& graph);
  const std::vector<const FileEffect*>& of(size_t step) const { return files_[step]; }

 private:
  std::vector<std::vector<const FileEffect*>> files_;
};

// The current state of these files, and of those that the step added while it ran.
Outputs look_at_outputs(host::Files& files, const std::vector<const FileEffect*>& owned,
                        const std::set<std::string>& more);

// Adds the links by which systemd starts these units at boot, if there are any. Disabling a unit removes its link.
void add_links_of_units(host::Files& files, const std::vector<std::string>& units, Outputs& outputs);

// Empty if the recorded state still exists and the record covers all files that the step is responsible for. Otherwise
// a readable description of the difference.
std::string difference(host::Files& files, const Outputs& recorded, const std::vector<const FileEffect*>& owned);

}  // namespace sunup::engine
