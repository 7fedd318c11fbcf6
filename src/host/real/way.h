// The way to a path: every directory on it that exists, each watched for the next name on the way; where a name is a
// symlink, the way to its target as well. So nothing is missed when directories come late, are moved away and made
// again, or are mounted over.
//
//   Way way(loop, idle, root, "/opt/azure/containers/provision.complete");
//   while (!way.arrives()) {
//     way.watch();
//     if (way.arrives()) break;   // it came before the watches stood
//     co_await way.changed();
//   }
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/real/loop.h"

namespace sunup::host::real {

// An inotify descriptor that nobody uses, and what it still watches. Closing one takes the kernel up to 20 ms, and
// taking a watch back some: just when somebody waits to go on.
struct IdleInotify {
  Fd fd;
  std::vector<int> watches;
};

class Way {
 public:
  // Takes an idle descriptor if there is one, and leaves its own there when it goes, with its watches. With a root,
  // no link leads out of it: as Files sees the path, so does the way.
  Way(Loop& loop, std::vector<IdleInotify>& idle, std::string root, std::string path)
      : loop_(loop), idle_(idle), root_(std::move(root)), path_(std::move(path)) {}
  Way(const Way&) = delete;
  Way& operator=(const Way&) = delete;
  ~Way();

  // Something is at the path. A symlink is, wherever it points.
  bool arrives() const;

  // What happens to the way from now on is told by changed(). Again after each change: it may lead elsewhere now.
  Result<void> watch();
  Task<Result<void>> changed();

 private:
  struct Watched {
    int descriptor;
    std::string name;  // the one that matters in that directory
    bool operator==(const Watched&) const = default;
  };

  Result<void> open();
  Result<void> walk();
  Result<bool> look_for(const std::string& name, const std::string& directory);
  bool drain();

  Loop& loop_;
  std::vector<IdleInotify>& idle_;
  const std::string root_;  // empty, or where the path begins
  const std::string path_;
  Fd fd_;
  std::vector<Watched> watched_;  // by links one directory may be on the way more than once, each time for another name

  Fd mounts_;
  FdWatch mount_watch_;
  bool mounts_changed_ = false;
  std::optional<Slot<bool>> waiting_;
};

}  // namespace sunup::host::real
