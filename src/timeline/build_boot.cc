#include <algorithm>

#include "timeline/draft.h"

namespace sunup::timeline {

void add_boot(Draft& draft) {
  // systemd knows the start of the kernel on a real machine, but not in a container.
  bool kernel = draft.manager.has_kernel;
  for (const JournalEntry& entry : draft.journal) kernel |= entry.kernel_took > 0;
  if (kernel) draft.milestone("kernel.start", 0, draft.manager.has_kernel ? "systemd" : "journal");
  if (draft.manager.userspace != 0) draft.milestone("systemd.start", draft.manager.userspace, "systemd");

  if (!draft.sources.cloud_init_log) return;
  // There is one for each boot: use the last that began before the run.
  std::optional<Nanos> run_at;
  if (draft.record) run_at = draft.record->start;
  if (!run_at && draft.logged)
    if (const auto placed = draft.clocks.place(draft.logged->start)) run_at = placed->at;
  std::optional<Interval> hook;
  for (const Interval& interval : boothooks(*draft.sources.cloud_init_log)) {
    const auto start = draft.clocks.place(interval.start);
    if (start && start->at >= 0 && (!run_at || start->at <= *run_at)) hook = interval;
  }
  if (!hook) return;
  const auto start = draft.clocks.place(hook->start);
  const auto end = draft.clocks.place(hook->end);
  const size_t point = draft.milestone("boothook.start", start->at, "cloud-init.log", start->approximate);
  Span span;
  span.name = "boothook";
  span.kind = SpanKind::kStage;
  span.purpose = "first program in the custom data: it writes the config and starts the controller";
  Point done{.id = "boothook.done", .label = "boothook done"};
  done.at = std::max(start->at, end->at);
  done.source = "cloud-init.log";
  draft.timeline.add_span(std::move(span), draft.timeline.points[point], std::move(done));
  draft.timeline.add_wait("boothook.start", "boothook.done", "the boothook");
}

}  // namespace sunup::timeline
