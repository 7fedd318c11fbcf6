// The part of the simulated machine that outlives a process: the disk with its unsynced changes, units, the kernel, the
// outside world, and the planned faults. sim::Machine is one process in it.
//
//   World world(seed);
//   world.programs["/usr/bin/tar"] = {.takes = 20ms};
//   {
//     Machine machine(world);
//     machine.loop().run(task(machine.host()), &result);       // perhaps: kCrashed
//   }
//   world.power_cut();                                          // or continue: the process died, but not the machine
#pragma once

#include <cerrno>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/files.h"
#include "host/kernel.h"
#include "host/loop.h"
#include "host/network.h"
#include "host/processes.h"
#include "host/units.h"
#include "host/watch.h"

namespace sunup::host::sim {

// Reproducible randomness: the same seed gives the same sequence on every machine and in every build.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) { next(); }

  uint64_t next() {  // splitmix64
    uint64_t x = state_ += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }
  uint64_t below(uint64_t n) { return n == 0 ? 0 : next() % n; }
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low + 1)));
  }
  bool chance(unsigned percent) { return below(100) < percent; }
  // An independent stream: the numbers that one part of a simulation draws do not affect those of another part.
  Random fork(uint64_t name) { return Random(next() ^ (name * 0xd1342543de82ef95ULL)); }

 private:
  uint64_t state_;
};

struct Node {
  FileKind kind = FileKind::kRegular;
  mode_t mode = 0644;
  std::string content;      // or the target of a link
  int64_t modified_ns = 0;  // wall clock; 0: before all others
  bool own = true;          // as in FileInfo
  FileOwner owner = {};

  // Compares everything except the time.
  bool operator==(const Node& other) const {
    return kind == other.kind && mode == other.mode && content == other.content && owner == other.owner;
  }
};
using Tree = std::map<std::string, Node>;  // by path; directories are nodes too

// A unit and how it behaves.
struct Unit {
  Duration takes = std::chrono::milliseconds(10);  // to start
  int failures = 0;                                // the number of starts that fail first
  int flaps = 0;  // how often it ends after becoming active and is started again by systemd
  Duration lives = std::chrono::milliseconds(30);  // until it ends, if it flaps
  std::vector<std::string> makes = {};  // paths that appear when it is active (its sockets) and no longer flaps
  std::map<std::string, std::string> writes = {};  // files that appear with them, and their content
  std::vector<std::string> reads = {};             // prefixes of the paths that it reads when it starts
  // State.
  // Its files as the manager has read them; empty: not read yet, the manager reads them when the unit is requested.
  std::optional<std::map<std::string, std::string>> read = {};
  std::string active = "inactive";
  std::string result = "success";
  uint64_t active_since_us = 0;
  std::map<std::string, std::string> runs_from = {};  // the content that it has read, by path
};

Tree appears_with(const Unit& unit);  // what appears when it is active

// A program: how long it takes, how it ends, and its effect.
struct Program {
  Duration takes = std::chrono::milliseconds(5);
  int failures = 0;  // the number of runs that fail first
  // The effect; an error becomes exit code 1 with its text on stderr.
  std::function<Result<void>(const std::vector<std::string>& argv, Files& files)> effect = {};
  std::string output = {};
  std::string last_words = {};  // printed on SIGTERM, before it ends
};

// A service that answers GET requests, for example the instance metadata service.
struct Endpoint {
  std::string body = {};
  Duration from = Duration::zero();  // after boot; before that the connection is refused
  Duration takes = std::chrono::milliseconds(2);
  int failures = 0;  // the number of responses that are 503 first
  int status = 200;
  int cuts = 0;                      // the number of responses that break off halfway through the body
  Duration open = Duration::zero();  // how long the connection stays open after the body, as that of a watch does
  std::vector<std::pair<std::string, std::string>> headers = {};
  // Computes the response from the request; used instead of status, headers and body.
  std::function<HttpReply(const HttpRequest&)> answer = {};
};

// A file that another program is writing in place, and its content when it is complete.
struct Unfinished {
  Duration until = Duration::zero();  // after boot
  std::string content = {};
};

// Another program that changes a file, if the file exists then. What it writes is durable.
struct OtherWriter {
  enum class How {
    kAppends,   // adds its line at the end, if the file contains only complete lines
    kReplaces,  // renames a new file into place that has its line before the others
    kRemoves,
  };
  uint64_t at = 0;  // it writes before this operation
  std::string path = {};
  std::string line = {};
  How how = How::kAppends;
};

// The faults. Percentages apply to each single operation.
struct Faults {
  unsigned file_errors = 0;  // a write, rename ... fails with one of `errors`
  std::vector<int> errors = {ENOSPC, EIO, EROFS, EMFILE};
  // The disk of this directory is full: files may be empty, overwritten within their length, and removed.
  std::string full = {};
  std::map<std::string, int> unreadable = {};   // by path: reading, listing or examining it fails with this errno
  std::map<std::string, int> unwritable = {};   // by path: writing, renaming to or removing it fails with this errno
  std::map<std::string, int> unmountable = {};  // by type of file system: mounting one fails with this errno
  std::vector<OtherWriter> others = {};
  unsigned overlooked_folders = 0;  // systemd reads a unit without its new drop-ins
  unsigned delays = 0;              // a wait takes far longer than planned
  Duration longest_delay = std::chrono::seconds(20);
  uint64_t crash_at = 0;                        // the process dies at this operation; 0: it does not
  bool cut_power = false;                       // the machine loses power, too
  Duration terminate_after = Duration::zero();  // SIGTERM after this time; zero: none
};

class World {
 public:
  explicit World(uint64_t seed) : random(seed) { disk["/"] = Node{FileKind::kDirectory, 0755, ""}; }

  Random random;
  Faults faults;

  Tree disk;                    // as processes see it
  Tree durable;                 // what certainly survives a power cut
  std::set<std::string> dirty;  // paths that differ, or may differ
  // New name -> old name of files whose bytes had already reached the disk: after a power cut they are complete, under
  // one of the two names.
  std::map<std::string, std::string> renamed;
  std::set<std::string> whole;  // of the dirty paths: the bytes have reached the disk, but not the name
  std::map<std::string, Unit> units;
  std::map<std::string, Program> programs;
  std::map<std::string, Endpoint> endpoints;  // by URL
  std::map<std::string, std::vector<std::string>> names;
  // Messages that were sent to Unix sockets: socket, message.
  std::vector<std::pair<std::string, std::string>> datagrams;
  std::map<std::string, std::string> sysctls;
  std::set<std::string> modules;
  std::vector<Mount> mounts;
  Duration hostname_final_from = Duration::zero();    // after boot
  Duration address_from = Duration::zero();           // after boot: the machine has an address
  std::map<std::string, uint64_t> free_kib;           // by mount point; others have enough
  std::map<std::string, Unfinished> being_written;    // by path: another program is writing it
  std::set<std::string> locks;                        // held by a live process
  std::vector<OtherWriter> written_by_others;         // lines that other programs have written and synced
  std::set<std::string> removed_by_others;            // paths
  std::map<std::string, std::string> started_beside;  // unit -> the unit whose start it did not wait for
  std::set<std::string> started_outdated;             // units whose last start used files that had changed since
  bool some_unit_enabled = false;  // since the last reload: newer managers then report all units as outdated
  bool stops = false;              // a reboot was requested
  // Times after boot, ascending.
  std::vector<std::pair<Duration, LinkChange>> link_changes;
  uint64_t boot = 1;
  Duration clock = std::chrono::seconds(1);  // since boot, when the next process starts
  std::function<void(TimePoint, std::string_view what, const std::string& on)> on_operation;  // for traces
  std::function<void(const Command&)> on_spawn;  // called with the command of each program

  std::string boot_id() const;
  // What the unit reads if it starts now.
  std::map<std::string, std::string> read_by(const Unit& unit) const;
  // These nodes (empty: no such path) have reached the disk.
  void made_durable(const std::map<std::string, std::optional<Node>>& nodes);
  void write_as_other(const OtherWriter& other, int64_t now_ns);
  // Each unsynced file is lost, kept, emptied or truncated, independently; units stop; the kernel state is lost; a new
  // boot begins.
  void power_cut();
  // The process has ended in any way: its locks are released.
  void process_ended(TimePoint now);
};

}  // namespace sunup::host::sim
