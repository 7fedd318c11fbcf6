// The shared part of a simulated machine: every operation calls it, is counted, and may fail there.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/sim/loop.h"
#include "host/sim/world.h"

namespace sunup::host::sim {

class Core {
 public:
  explicit Core(World& w) : world(w), loop(w.clock, w.boot), random_(w.random.fork(w.boot)) {}

  World& world;
  Loop loop;

  enum class Kind { kRead, kWrite, kOther };
  // Must be called before each operation. An error means that the operation must not be performed (the process is dead,
  // or a fault was injected).
  Result<void> operation(Kind kind, std::string_view what, const std::string& on);
  // An operation that takes time, with a chance of a long delay.
  Task<Result<void>> wait(std::string what, std::string on, Duration takes);
  // An error if the disk that contains the path is full and `added` bytes would have to be added there.
  Result<void> room(const std::string& path, size_t added) const;
  Duration delayed(Duration takes);
  bool dead() const { return loop.crashed(); }
  Random& random() { return random_; }

  // Puts a node on the disk (empty: removes it) and wakes the tasks that wait for the path.
  void put(const std::string& path, std::optional<Node> node);
  std::map<std::string, std::vector<Slot<bool>>> waiting_for_path;

 private:
  Random random_;
  uint64_t operations_ = 0;
};

}  // namespace sunup::host::sim
