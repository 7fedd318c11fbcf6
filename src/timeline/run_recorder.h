// Writes the run record during a run without delaying it: lines are buffered and written when the event loop is idle.
// Nothing is synced (the durability barrier of the run covers what was written before it).
//
//   timeline::RunRecorder recorder(host.files, host.loop, graph, {.boot = host.boot_id, .version = ..., .mode =
//   "native"},
//                                  [&](std::string_view text) { return redactor.redact(text); });
//   options.observers.push_back(&recorder);
//
// If the disk cannot be written, the record is lost, but the run continues.
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

  // Determines what a step did that left something alone (--root): "nothing", "part" or "" for all of it. Called when
  // the step ends, after the observers before this one.
  using Judge = std::function<std::string_view(std::string_view step)>;
  void judge_with(Judge judge) { judge_ = std::move(judge); }

  // The content so far, for a timeline during the run.
  Sources so_far();

 private:
  struct Pen;
  void declare(host::TimePoint at);

  const engine::Graph& graph_;
  const About about_;
  const Redact redact_;
  Judge judge_;
  std::shared_ptr<Pen> pen_;  // shared with the callback that runs when the loop is idle
};

}  // namespace sunup::timeline
