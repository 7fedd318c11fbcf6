// Writes the run record while the engine works, without standing in its way: lines are kept in memory and written when
// the loop has nothing else to do; nothing is synced (the run's own barrier covers what was written before it).
//
//   timeline::RunRecorder recorder(host.files, host.loop, graph, {.boot = host.boot_id, .version = ..., .mode =
//   "native"},
//                                  [&](std::string_view text) { return redactor.redact(text); });
//   options.observers.push_back(&recorder);
//
// A disk that cannot be written to costs the record, never the run.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/graph.h"
#include "engine/observer.h"
#include "host/files.h"
#include "host/loop.h"
#include "timeline/run_record.h"
#include "timeline/sources.h"

namespace sunup::timeline {

class RunRecorder : public engine::Observer {
 public:
  using Redact = std::function<std::string(std::string_view)>;
  struct About {
    std::string boot = {};
    std::string version = {};
    std::string mode = "native";
    int64_t pid = 0;
  };

  // Files, loop and graph must outlive it. Records of earlier runs are moved aside with the first write.
  RunRecorder(host::Files& files, host::Loop& loop, const engine::Graph& graph, About about, Redact redact,
              std::string path = kRunRecord);
  ~RunRecorder() override;

  void on(const engine::Event& event) override;

  // Who judges what a step did that left something alone (--root): "nothing", "part" or "" for all of it. Asked when
  // the step ends, after the observers before this one were told.
  using Judge = std::function<std::string_view(std::string_view step)>;
  void judge_with(Judge judge) { judge_ = std::move(judge); }

  // What a timeline of the run can be made of while it goes on.
  Sources so_far();

 private:
  struct Pen;
  void declare(host::TimePoint at);

  const engine::Graph& graph_;
  const About about_;
  const Redact redact_;
  Judge judge_;
  std::shared_ptr<Pen> pen_;  // shared with the callback that waits for a quiet moment
};

}  // namespace sunup::timeline
