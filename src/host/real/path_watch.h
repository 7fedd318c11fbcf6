// Watches a path: every existing directory on the way to it, each for the next name; if a name is a symlink, also the
// way to its target. No change is missed when directories are created late, moved away and created again, or mounted
// over.
//
//   PathWatch watch(loop, idle, root, "/opt/azure/containers/provision.complete");
//   while (!watch.arrives()) {
//     watch.watch();
//     if (watch.arrives()) break;   // it appeared before the watches were set
//     co_await watch.changed();
//   }
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/real/loop.h"

namespace sunup::host::real {

// An unused inotify descriptor with its remaining watches. Closing one takes the kernel up to 20 ms, and removing a
// watch also takes time, which would delay the waiting task.
struct IdleInotify {
  Fd fd;
  std::vector<int> watches;
};

class PathWatch {
 public:
  // Takes an idle descriptor if there is one. The destructor leaves its own descriptor there, with its watches. With a
  // root, no link leads out of it, so the path resolves as in Files.
  PathWatch(Loop& loop, std::vector<IdleInotify>& idle, std::string root, std::string path)
      : loop_(loop), idle_(idle), root_(std::move(root)), path_(std::move(path)) {}
  PathWatch(const PathWatch&) = delete;
  PathWatch& operator=(const PathWatch&) = delete;
  ~PathWatch();

  // Something exists at the path. A symlink counts, regardless of its target.
  bool arrives() const;

  // Starts reporting changes of the watch through changed(). Call it again after each change, because the watch may
  // have changed.
  Result<void> watch();
  Task<Result<void>> changed();

 private:
  struct Watched {
    int descriptor;
    std::string name;  // the name to watch for in that directory
    bool operator==(const Watched&) const = default;
  };

  Result<void> open();
  Result<void> walk();
  Result<bool> look_for(const std::string& name, const std::string& directory);
  bool drain();

  Loop& loop_;
  std::vector<IdleInotify>& idle_;
  const std::string root_;  // empty, or the root of the path
  const std::string path_;
  Fd fd_;
  // Because of links, a directory can be on the watch more than once, each time for another name.
  std::vector<Watched> watched_;

  Fd mounts_;
  FdWatch mount_watch_;
  bool mounts_changed_ = false;
  std::optional<Slot<bool>> waiting_;
};

}  // namespace sunup::host::real
