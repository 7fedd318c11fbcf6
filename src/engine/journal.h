// The journal: which steps have finished, with which inputs and outputs, so that a run after a crash or a failure
// resumes.
//
// One record a line, each with its checksum, each complete in itself. A line that was cut off or damaged is dropped and
// reported; losing a record only means that its step runs again. Nothing is synced per record: after a reboot only what
// a barrier covers is believed: what was finished before a Files::sync() began that came back.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/outputs.h"
#include "engine/step.h"
#include "host/files.h"

namespace sunup::engine {

class Journal {
 public:
  struct Done {
    std::string boot;
    uint64_t inputs = 0;
    uint64_t number = 0;  // records are numbered in the order they were written: a higher one was done later
    bool durable = false;
    std::map<std::string, std::string> facts;
    Outputs outputs;
  };

  // `generation` stands for everything that is common to all steps (program version, configuration): records of
  // another generation do not count. A journal that cannot be read is as good as none; `troubles()` says what was
  // wrong.
  Journal(host::Files& files, std::string path, std::string boot, std::string_view generation);

  const std::vector<std::string>& troubles() const { return troubles_; }

  // The record of a step that has finished, if its inputs are the same and its effect lasts until now, as far as the
  // journal can tell; `why` says so or why not, for people.
  const Done* find(const Step& step, std::string* why) const;

  // The record of a step that has finished, whether or not its effect has lasted.
  const Done* recorded(const Step& step) const;

  // Has an earlier run of this boot done anything? True, too, if that cannot be told.
  bool begun_before() const { return begun_before_; }

  // From here until it has finished, the step is not done, whatever was recorded before.
  Result<void> started(const Step& step);
  Result<void> finished(const Step& step, const std::map<std::string, std::string>& facts, Outputs outputs = {});
  // mark() before Files::sync(), barrier() with it after: steps that end in between are not covered.
  uint64_t mark() const { return next_number_; }
  Result<void> barrier(uint64_t mark);

  static uint64_t fingerprint(std::string_view text);

 private:
  void load(std::string_view text);
  bool load_line(std::string_view line);
  std::string done_line(const std::string& step, const Done& done) const;
  void cover(const std::string& boot, uint64_t mark);
  void rewrite();
  Result<void> append(std::string line);

  host::Files& files_;
  const std::string path_;
  const std::string boot_;
  const uint64_t generation_;
  std::map<std::string, Done> done_;
  std::set<std::string> recorded_;  // steps with a record in the file, of whatever generation
  std::vector<std::string> troubles_;
  uint64_t next_number_ = 1;
  size_t foreign_ = 0;  // records of other generations
  bool begun_before_ = false;
  bool tail_is_open_ = false;  // the last line may lack its end
};

}  // namespace sunup::engine
