#include "controller/own_output.h"
#include "host/real/boot.h"
#include "host/real/output_file.h"
#include "timeline/build.h"
#include "timeline/formats.h"
#include "timeline/gather.h"
#include "verbs.h"

namespace sunup {
namespace {

std::optional<std::string> wrong_format(std::string_view value) {
  if (timeline::parse_format(value)) return std::nullopt;
  return "must be text, json, html, svg, perfetto or otlp";
}

constexpr controller::Flag kFlags[] = {
    {"format", "FORMAT", "text (default), json, html, svg, perfetto or otlp", wrong_format},
    {"out", "FILE", "write to this file instead of stdout"},
    {"zero", "MILESTONE", "the milestone that times are relative to (default: controller.start)"},
};

int fail(const Error& error) {
  controller::write_stderr("aks-node-controller timeline: " + error.what +
                           (error.hint.empty() ? "" : "; " + error.hint) + "\n");
  return 1;
}

int run(Program& program, const controller::CommandLine& line) {
  controller::Node& node = program.node();
  // Below another root there is no running systemd to query.
  const bool files_only = !node.root.empty();
  const auto boot = files_only ? Result<std::string>("") : host::real::boot_id();
  if (!boot) return fail(boot.error());
  const auto sources = program.loop().run(timeline::gather_from_machine(node.files, node.processes, *boot, files_only));
  auto built = timeline::build(sources, {.zero = line.flags.text("zero")});
  if (!built) return fail(built.error());
  const auto format = timeline::parse_format(line.flags.text("format")).value_or(timeline::Format::kText);
  // The sources were redacted when they were written, except for kubelet's own log, of which only the milestones are
  // shown.
  const std::string text = timeline::show(*built, format);
  const std::string file = line.flags.text("out");
  if (file.empty()) {
    controller::write_stdout(text);
    return 0;
  }
  if (const auto written = host::real::write_output(file, text); !written) return fail(written.error());
  return 0;
}

}  // namespace

const Verb kTimeline{
    {"timeline", "show what happened and when: milestones and steps of the last run, and what was waited for",
     "aks-node-controller timeline --format html --out timeline.html", kFlags},
    run,
    true};

}  // namespace sunup
