// Watches of the real machine: inotify for paths and Unix sockets (path_watch.h), signalfd for signals to stop.
#pragma once

#include <string>
#include <vector>

#include "host/real/loop.h"
#include "host/real/path_watch.h"
#include "host/watch.h"

namespace sunup::host::real {

class Watch : public host::Watch {
 public:
  Watch(Loop& loop, std::string root) : loop_(loop), root_(root == "/" ? "" : std::move(root)) {}

  Task<Result<void>> path_appears(std::string path) override;
  Task<Result<void>> path_differs(std::string path, std::function<bool()> differs) override;
  Task<Result<void>> socket_accepts(std::string address) override;
  Task<Result<void>> process_ends(pid_t pid, uint64_t start_ticks) override;
  Task<Result<void>> file_is_written(std::string path) override;
  Task<Result<void>> hostname_is_final() override;
  Task<Result<void>> address_appears(std::string address) override;  // uses netlink
  Task<Result<void>> any_address() override;
  Result<std::unique_ptr<LinkChanges>> link_changes() override;  // in links.cc; uses netlink
  Task<int> termination() override;

  // For a process that exits while another one waits for its end. The last close of an inotify descriptor takes the
  // kernel 10 to 20 ms, also at exit. Therefore a child inherits the descriptors and exits later.
  void leave_descriptors_to_a_child();

 private:
  Task<int> asked_to_stop();

  Loop& loop_;
  const std::string root_;
  std::vector<IdleInotify> idle_inotify_;
  Fd signals_;
  FdWatch signal_watch_;
  int signalled_ = 0;
  std::vector<Slot<int>> asked_;
};

}  // namespace sunup::host::real
