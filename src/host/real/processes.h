// Children of the real machine: posix_spawn, pipes and a pidfd on the loop.
#pragma once

#include <memory>
#include <set>

#include "host/processes.h"
#include "host/real/loop.h"

namespace sunup::host::real {

class Child;

class Processes : public host::Processes {
 public:
  explicit Processes(Loop& loop) : loop_(loop) {}
  ~Processes() override;  // kills and reaps the remaining children

  Result<std::unique_ptr<Process>> start(Command command) override;
  Task<void> settled() override;

 private:
  friend class ChildHandle;
  void adopt(std::shared_ptr<Child> child);  // keeps a cancelled child until it ends
  void gone(const std::shared_ptr<Child>& child);

  Loop& loop_;
  std::set<std::shared_ptr<Child>> dying_;
  std::vector<Slot<bool>> waiting_;
};

}  // namespace sunup::host::real
