#include "timeline/run_recorder.h"

#include <nlohmann/json.hpp>

namespace sunup::timeline {
namespace {

using nlohmann::ordered_json;

std::string numbered(const std::string& path, int number) {
  if (number == 0) return path;
  const size_t dot = path.rfind('.');
  return path.substr(0, dot) + "." + std::to_string(number) + path.substr(dot);
}

Nanos nanos(host::TimePoint at) {
  return at.time_since_epoch().count();
}

}  // namespace

struct RunRecorder::Pen {
  Pen(host::Files& f, host::Loop& l, std::string p) : files(f), loop(l), path(std::move(p)) {}

  void add(const ordered_json& line) {
    unwritten += line.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    unwritten += '\n';
  }

  void flush() {
    if (unwritten.empty()) return;
    if (!std::exchange(opened, true)) move_aside();
    // Lines that cannot be written are dropped: keeping them would fill the memory when the disk is full. The failed
    // write may have left half a line.
    if (torn) unwritten.insert(0, "\n");
    torn = !files.append(path, unwritten, 0600).ok();
    unwritten.clear();
  }

  void move_aside() {
    // A path that cannot be examined counts as existing: a record is moved aside and never appended to.
    if (const auto there = files.exists(path); there && !*there) {
      (void)files.make_directories(path.substr(0, path.rfind('/')));
      return;
    }
    for (int number = kRunRecordsKept - 1; number > 0; --number)
      if (const auto there = files.exists(numbered(path, number - 1)); !there || *there)
        (void)files.rename(numbered(path, number - 1), numbered(path, number));
  }

  host::Files& files;
  host::Loop& loop;
  const std::string path;
  std::string unwritten;
  bool opened = false;
  bool torn = false;
  bool waiting = false;
};

RunRecorder::RunRecorder(host::Files& files, host::Loop& loop, const engine::Graph& graph, About about, Redact redact,
                         std::string path)
    : graph_(graph),
      about_(std::move(about)),
      redact_(std::move(redact)),
      pen_(std::make_shared<Pen>(files, loop, std::move(path))) {}

RunRecorder::~RunRecorder() {
  pen_->flush();
}

Sources RunRecorder::so_far() {
  pen_->flush();
  Sources sources;
  auto text = pen_->files.read(pen_->path);
  if (text) sources.run_record = std::move(*text);  // otherwise the summary is empty, as without a record
  return sources;
}

void RunRecorder::declare(host::TimePoint at) {
  pen_->add({{"sunup", "run record"},
             {"v", 1},
             {"boot", about_.boot},
             {"t", nanos(at)},
             {"wall", pen_->loop.wall().time_since_epoch().count()},
             {"version", about_.version},
             {"mode", about_.mode},
             {"pid", about_.pid}});
  for (size_t i = 0; i < graph_.size(); ++i) {
    const engine::Step& step = graph_.steps()[i];
    pen_->add({{"t", nanos(at)},
               {"e", "declared"},
               {"step", step.name},
               {"rank", engine::to_string(graph_.rank(i))},
               {"purpose", step.purpose},
               {"needs", step.needs},
               {"after", step.after},
               {"provides", step.provides},
               {"units", step.units}});
  }
}

void RunRecorder::on(const engine::Event& event) {
  using enum engine::EventKind;
  if (event.kind == kRunStarted) declare(event.at);
  ordered_json line{{"t", nanos(event.at)}, {"e", engine::to_string(event.kind)}};
  if (!event.step.empty()) line["step"] = event.step;
  if (event.attempt != 0) line["attempt"] = event.attempt;
  if (!event.text.empty()) line["text"] = redact_(event.text);
  if (event.error != nullptr) {
    line["error"] = redact_(event.error->what);
    if (event.error->code != 0) line["code"] = event.error->code;
  }
  if (event.kind == kStepEnded && event.error == nullptr && judge_)
    if (const std::string_view did = judge_(event.step); !did.empty()) line["did"] = did;
  if (event.kind == kRunEnded) line["wall"] = pen_->loop.wall().time_since_epoch().count();
  pen_->add(line);

  if (event.kind == kRunEnded || event.kind == kStopping) {
    pen_->flush();
  } else if (!std::exchange(pen_->waiting, true)) {
    pen_->loop.when_idle([weak = std::weak_ptr<Pen>(pen_)] {
      if (const auto pen = weak.lock()) {
        pen->waiting = false;
        pen->flush();
      }
    });
  }
}

}  // namespace sunup::timeline
