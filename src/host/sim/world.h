// What outlives a process of the simulated machine: the disk with what has not reached it yet, units, the kernel, the
// outside world, and the plan of what goes wrong. sim::Machine is one process in it.
//
//   World world(seed);
//   world.programs["/usr/bin/tar"] = {.takes = 20ms};
//   {
//     Machine machine(world);
//     machine.loop().run(task(machine.host()), &result);       // perhaps: kCrashed
//   }
//   world.power_cut();                                          // or go on: the process died, the machine did not
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
#include "host/sim/random.h"
#include "host/units.h"

namespace sunup::host::sim {

struct Node {
  FileKind kind = FileKind::kRegular;
  mode_t mode = 0644;
  std::string content;      // or the target of a link
  int64_t modified_ns = 0;  // wall clock; 0: before everything else
  bool own = true;          // as in FileInfo

  // The same thing, whenever it was written.
  bool operator==(const Node& other) const {
    return kind == other.kind && mode == other.mode && content == other.content;
  }
};
using Tree = std::map<std::string, Node>;  // by path; directories are nodes too

// A unit and how it behaves.
struct Unit {
  Duration takes = std::chrono::milliseconds(10);  // to start
  int failures = 0;                                // so many starts fail first
  int flaps = 0;  // so many times it ends after it became active, and is started again by systemd
  Duration lives = std::chrono::milliseconds(30);  // until it ends, if it flaps
  std::vector<std::string> makes = {};  // paths that appear when it is active (its sockets), if it flaps no more
  std::vector<std::string> reads = {};  // how the paths begin that it reads when it starts
  // State.
  // Its files as the manager has read them; none: it has not, and will when it is asked for the unit.
  std::optional<std::map<std::string, std::string>> read = {};
  std::string active = "inactive";
  std::string result = "success";
  uint64_t active_since_us = 0;
  std::map<std::string, std::string> runs_from = {};  // what it has read, by path
};

// A program: how long it takes, how it ends, what it leaves behind.
struct Program {
  Duration takes = std::chrono::milliseconds(5);
  int failures = 0;  // so many runs fail first
  // What it does; an error is exit code 1 with that text on stderr.
  std::function<Result<void>(const std::vector<std::string>& argv, Files& files)> effect = {};
  std::string output = {};
  std::string last_words = {};  // what it prints when it is asked to end, which it then does
};

// Something that answers GETs: the instance metadata service, say.
struct Endpoint {
  std::string body = {};
  Duration from = Duration::zero();  // after boot; before that the connection is refused
  Duration takes = std::chrono::milliseconds(2);
  int failures = 0;  // so many answers are 503 first
  int status = 200;
  int cuts = 0;  // so many answers break off halfway through the body
  std::vector<std::pair<std::string, std::string>> headers = {};
  // Who has to look at the request to know the answer; used instead of status, headers and body.
  std::function<HttpReply(const HttpRequest&)> answer = {};
};

// A file that somebody writes in place: what it holds when he is done.
struct Unfinished {
  Duration until = Duration::zero();  // after boot
  std::string content = {};
};

// Another program that appends a line to a file, if it is there then and whole lines are in it.
struct OtherWriter {
  uint64_t at = 0;  // the operation of ours before which it does
  std::string path = {};
  std::string line = {};
};

// What goes wrong. Percentages apply to each single operation.
struct Faults {
  unsigned file_errors = 0;  // a write, rename ... fails with one of `errors`
  std::vector<int> errors = {ENOSPC, EIO, EROFS, EMFILE};
  // The disk of this folder is full: files may be empty, overwritten within their length, and removed.
  std::string full = {};
  std::map<std::string, int> unreadable = {};  // by path: reading, listing or looking at it fails with this errno
  std::map<std::string, int> unwritable = {};  // by path: writing, renaming to or removing it fails with this errno
  std::vector<OtherWriter> others = {};
  unsigned overlooked_folders = 0;  // systemd reads a unit without its new drop-ins
  unsigned delays = 0;              // a wait takes far longer than planned
  Duration longest_delay = std::chrono::seconds(20);
  uint64_t crash_at = 0;                        // the process dies at this operation; 0: it does not
  bool cut_power = false;                       // and the machine with it
  Duration terminate_after = Duration::zero();  // SIGTERM after so long; zero: none
};

class World {
 public:
  explicit World(uint64_t seed) : random(seed) { disk["/"] = Node{FileKind::kDirectory, 0755, ""}; }

  Random random;
  Faults faults;

  Tree disk;                    // as processes see it
  Tree durable;                 // what a power cut leaves for sure
  std::set<std::string> dirty;  // paths that differ, or may
  // New name -> old name of files whose bytes were on the disk already: a power cut leaves them whole, under one of
  // both.
  std::map<std::string, std::string> renamed;
  std::set<std::string> whole;  // of the dirty: their bytes have reached the disk, only the name has not
  std::map<std::string, Unit> units;
  std::map<std::string, Program> programs;
  std::map<std::string, Endpoint> endpoints;  // by URL
  std::map<std::string, std::vector<std::string>> names;
  std::vector<std::pair<std::string, std::string>> datagrams;  // what was sent to Unix sockets: socket, message
  std::map<std::string, std::string> sysctls;
  std::set<std::string> modules;
  std::vector<Mount> mounts;
  Duration hostname_final_from = Duration::zero();    // after boot
  Duration address_from = Duration::zero();           // after boot: the machine has an address
  std::map<std::string, uint64_t> free_kib;           // by mount point; others have plenty
  std::map<std::string, Unfinished> being_written;    // by path: somebody else is at it
  std::set<std::string> locks;                        // held by a live process
  std::vector<OtherWriter> written_by_others;         // what other programs have written, and synced
  std::map<std::string, std::string> started_beside;  // unit -> the one whose start it did not wait for
  std::set<std::string> started_outdated;             // units whose last start was from files that had changed since
  bool some_unit_enabled = false;  // since the last reload: newer managers call all units outdated then
  bool stops = false;              // somebody asked for a reboot
  uint64_t boot = 1;
  Duration clock = std::chrono::seconds(1);  // since boot, when the next process starts
  std::function<void(TimePoint, std::string_view what, const std::string& on)> on_operation;  // for traces
  std::function<void(const Command&)> on_spawn;  // what each program is given

  std::string boot_id() const;
  // What the unit reads if it starts now.
  std::map<std::string, std::string> read_by(const Unit& unit) const;
  // These nodes (nothing: no such path) have reached the disk.
  void made_durable(const std::map<std::string, std::optional<Node>>& nodes);
  void write_as_other(const OtherWriter& other, int64_t now_ns);
  // Un-synced files are lost, kept, emptied or cut short, each on its own; units stop; the kernel forgets; a new boot.
  void power_cut();
  // The process ended, one way or the other: its locks go.
  void process_ended(TimePoint now);
};

}  // namespace sunup::host::sim
