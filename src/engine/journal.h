// The journal records which steps have finished, with their inputs and outputs, so that a run after a crash or a
// failure resumes.
//
// Each line is one complete record with a checksum. A line that was cut off or damaged is dropped and reported; losing
// a record only means that its step runs again. Records are not synced one by one: after a reboot only those that a
// barrier covers are valid, which are the records that were written before a successful Files::sync() began.
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
    uint64_t number = 0;  // records are numbered in the order of writing: a higher number means later
    bool durable = false;
    std::map<std::string, std::string> facts;
    Outputs outputs;
  };

  // `generation` identifies everything that is common to all steps (program version, configuration). Records of another
  // generation do not count. A journal that cannot be read is treated as empty; `troubles()` describes what was wrong.
  Journal(host::Files& files, std::string path, std::string boot, std::string_view generation);

  const std::vector<std::string>& troubles() const { return troubles_; }

  // The record of a finished step, if its inputs are the same and, as far as the journal knows, its effect still lasts.
  // `why` describes the reason, in either case, in a readable form.
  const Done* find(const Step& step, std::string* why) const;

  // The record of a finished step, whether or not its effect still lasts.
  const Done* recorded(const Step& step) const;

  // Whether an earlier run of this boot has done anything. Also true if this cannot be determined.
  bool begun_before() const { return begun_before_; }

  // From this call until finished(), the step counts as not done, regardless of earlier records.
  Result<void> started(const Step& step);
  Result<void> finished(const Step& step, const std::map<std::string, std::string>& facts, Outputs outputs = {});
  // Call mark() before Files::sync() and barrier() with its value after it. Steps that end in between are not covered.
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
  std::set<std::string> recorded_;  // steps with a record in the file, of any generation
  std::vector<std::string> troubles_;
  uint64_t next_number_ = 1;
  size_t foreign_ = 0;  // records of other generations
  bool begun_before_ = false;
  bool tail_is_open_ = false;  // the last line may lack its end
};

}  // namespace sunup::engine
