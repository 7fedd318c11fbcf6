// Watches of the real machine: inotify for paths and Unix sockets, signalfd for being asked to stop.
#pragma once

#include <string>
#include <vector>

#include "host/real/loop.h"
#include "host/watch.h"

namespace sunup::host::real {

class Watch : public host::Watch {
 public:
  Watch(Loop& loop, std::string root) : loop_(loop), root_(root == "/" ? "" : std::move(root)) {}

  Task<Result<void>> path_appears(std::string path) override;
  Task<Result<void>> socket_accepts(std::string address) override;
  Task<int> termination() override;

 private:
  Loop& loop_;
  const std::string root_;
  Fd signals_;
  FdWatch signal_watch_;
  int signalled_ = 0;
  std::vector<Slot<int>> asked_;
};

}  // namespace sunup::host::real
