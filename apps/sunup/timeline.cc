#include "timeline.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "base/input.h"
#include "base/quoted.h"
#include "host/real/machine.h"
#include "host/real/output_file.h"
#include "standard_output.h"
#include "timeline/budget.h"
#include "timeline/build.h"
#include "timeline/compare.h"
#include "timeline/formats.h"
#include "timeline/gather.h"
#include "verbs.h"

namespace sunup {
namespace {

using host::real::Machine;

struct Options {
  std::string directory, format = "text", out, zero, budget, post;
  std::vector<std::string> variants;
  std::string diff_format = "text", diff_zero;
};

constexpr size_t kLargestTimeline = 256 << 20;

// The timeline of a copied directory. `files` may be confined to a parent directory.
Result<timeline::Timeline> timeline_of(Machine& machine, host::Files& files, const std::string& directory,
                                       const std::string& zero) {
  const auto info = files.info(absolute(directory));
  if (!info) return info.error();
  if (info->kind != host::FileKind::kDirectory) return Error(directory + " is not a directory");
  const auto sources =
      machine.loop().run(timeline::gather_from_directory(files, machine.host().processes, absolute(directory)));
  auto built = timeline::build(sources, {.zero = zero});
  if (!built) return std::move(built).error().in(directory);
  return built;
}

// If the path is not a directory, access is not confined, and reading it fails with the reason.
host::real::Files files_below(Machine& machine, const std::string& path) {
  const auto info = machine.host().files.info(absolute(path));
  const bool directory = info && info->kind == host::FileKind::kDirectory;
  return host::real::Files::below(machine.loop(), directory ? absolute(path) : "/");
}

Result<timeline::Timeline> timeline_of(Machine& machine, const std::string& directory, const std::string& zero) {
  auto below = files_below(machine, directory);
  return timeline_of(machine, below, directory, zero);
}

Result<timeline::Run> one_run(Machine& machine, host::Files& files, const std::string& path, const std::string& zero) {
  if (path.ends_with(".json")) {
    const auto info = files.info(absolute(path));
    if (!info) return info.error();
    if (info->kind != host::FileKind::kRegular || info->size > kLargestTimeline)
      return Error(path + " is not a file, or too large for a timeline");
    auto text = files.read_part(absolute(path), 0, kLargestTimeline);
    if (!text) return std::move(text).error();
    return timeline::run_of_json(path, *text, zero);
  }
  auto built = timeline_of(machine, files, path, zero);
  if (!built) return std::move(built).error();
  return timeline::run_of(path, *built);
}

// A directory of one run, or one that contains runs (directories, or timelines as JSON).
Result<timeline::Group> group_of(Machine& machine, const std::string& path, const std::string& zero) {
  timeline::Group group{.name = path, .runs = {}};
  auto below = files_below(machine, path);
  auto single = one_run(machine, below, path, zero);
  if (single) {
    group.runs.push_back(std::move(*single));
    return group;
  }
  const auto names = below.list(absolute(path));
  if (!names) return std::move(single).error();
  for (const std::string& name : *names) {
    const std::string inner = path + "/" + name;
    const auto info = below.info(absolute(inner));
    if (!info || (info->kind != host::FileKind::kDirectory && !name.ends_with(".json"))) continue;
    auto run = one_run(machine, below, inner, zero);
    if (!run) return std::move(run).error().in(inner);
    group.runs.push_back(std::move(*run));
  }
  if (group.runs.empty()) return std::move(single).error();
  return group;
}

int check_budget(Machine& machine, const Options& options) {
  auto text = sunup::read_input(options.budget);
  if (!text) return complain("timeline", text.error());
  auto budget = timeline::parse_budget(*text);
  if (!budget) return complain("timeline", budget.error().in(options.budget));
  auto group = group_of(machine, options.directory, options.zero.empty() ? budget->zero : options.zero);
  if (!group) return complain("timeline", group.error());
  const auto report = timeline::check_budget(*budget, *group);
  std::fputs(report.text.c_str(), stdout);
  return report.kept ? 0 : 1;
}

host::Task<Result<host::HttpReply>> post(Machine& machine, std::string url, std::string body) {
  host::HttpRequest request;
  request.method = "POST";
  request.url = std::move(url);
  request.headers.emplace_back("Content-Type", "application/json");
  request.body = std::move(body);
  co_return co_await machine.host().network.request(std::move(request));
}

int show(const Options& options) {
  auto machine = Machine::open();
  if (!machine) return complain("timeline", machine.error());
  if (!options.budget.empty() && options.out.empty() && options.post.empty()) return check_budget(**machine, options);
  auto built = timeline_of(**machine, options.directory, options.zero);
  if (!built) return complain("timeline", built.error());
  const std::string text = timeline::show(*built, *timeline::parse_format(options.format));
  if (!options.post.empty()) {
    const auto reply = (*machine)->loop().run(post(**machine, options.post, timeline::as_otlp(*built)));
    if (!reply) return complain("timeline", reply.error());
    // The message omits the collector's address, which may contain a password.
    if (reply->status / 100 != 2)
      return complain("timeline", Error(fmt::format("the collector responded {}", reply->status)));
    if (const auto refusal = timeline::refusal_of(reply->body)) {
      const std::string why = refusal->message.empty() ? "" : ": " + one_line(refusal->message);
      if (refusal->spans > 0)
        return complain("timeline", Error(fmt::format("the collector rejected {} of {} spans{}", refusal->spans,
                                                      built->spans.size() + 1, why)));
      fmt::print(stderr, "sunup timeline: the collector accepted it with the message{}\n", why);
    }
  }
  // If the timeline is sent or checked against a budget, it is not printed.
  const bool print = options.post.empty() && options.budget.empty();
  if (print || !options.out.empty())
    if (auto written = put(options.out, text); !written) return complain("timeline", written.error());
  return options.budget.empty() ? 0 : check_budget(**machine, options);
}

int diff(const Options& options) {
  constexpr size_t kMost = 26;  // they are named A to Z
  if (options.variants.size() > kMost)
    return complain("timeline", Error(fmt::format("at most {} can be compared", kMost)));
  auto machine = Machine::open();
  if (!machine) return complain("timeline", machine.error());
  std::vector<timeline::Group> groups;
  for (const std::string& variant : options.variants) {
    auto group = group_of(**machine, variant, options.diff_zero);
    if (!group) return complain("timeline", group.error());
    groups.push_back(std::move(*group));
  }
  const auto comparison = timeline::compare(groups);
  std::fputs(options.diff_format == "json" ? timeline::comparison_json(comparison).c_str()
                                           : timeline::comparison_text(comparison).c_str(),
             stdout);
  return 0;
}

}  // namespace

std::string absolute(const std::string& path) {
  std::error_code gone;
  const auto from_root = std::filesystem::absolute(path, gone);
  if (gone) return "/(the working directory is gone)/" + path;  // nonexistent, so the reader reports this
  std::string whole = from_root.lexically_normal().string();
  while (whole.size() > 1 && whole.ends_with('/')) whole.pop_back();
  return whole;
}

Result<void> put(const std::string& file, std::string_view content, mode_t mode) {
  if (!file.empty() && file != "-") return host::real::write_output(file, content, mode);
  std::fwrite(content.data(), 1, content.size(), stdout);
  return {};
}

void add_timeline(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  auto* verb = add_verb(app, "timeline", "show what happened on a node and when, from copied logs");
  verb->footer(
      "DIR is an unpacked bundle of `sunup collect`, or a copy of /var/log/azure, of /var/log or of the whole disk. It "
      "is\nsearched for trace.jsonl (the run record), aks-node-controller.log, provision.json, cloud-init.log, the "
      "events of the\nguest agent, and the journal. Each is optional, but at least one must describe a provisioning "
      "run.\nA budget has a milestone and its seconds on each line, e.g. `node.ready 12.5s`; exit code 1: a milestone "
      "is late.\nExample: sunup timeline logs/ --format html --out timeline.html\n         sunup timeline diff before/ "
      "after/        (each is a run, or a directory of runs)");
  verb->add_option("DIR", options->directory, "the directory of the logs");
  auto* format = verb->add_option("--format", options->format, "text, json, svg, html, perfetto or otlp");
  format->capture_default_str()->check(
      one_of(std::vector<std::string>(std::begin(timeline::kFormatNames), std::end(timeline::kFormatNames))));
  verb->add_option("--out", options->out, "write to this file instead of stdout");
  verb->add_option("--zero", options->zero,
                   "the milestone or step:NAME:end that times are relative to (default: controller.start)");
  verb->add_option("--budget", options->budget, "check this budget; DIR may contain several runs");
  verb->add_option("--post", options->post, "send the timeline to this OpenTelemetry collector (OTLP/JSON over HTTP)");
  auto* compare = add_verb(*verb, "diff", "compare runs: medians, spread, what changed and whether it is significant");
  compare->footer("Example: sunup timeline diff main/ branch/ --zero kubelet.started");
  compare->add_option("RUNS", options->variants, "two or more: a run, a timeline as JSON, or a directory of these")
      ->required()
      ->expected(-2);  // help then prints "...", which it does not for a range
  compare->add_option("--format", options->diff_format, "text or json")
      ->check(one_of({"text", "json"}))
      ->capture_default_str();
  compare->add_option("--zero", options->diff_zero, "the milestone or step:NAME:end that times are relative to");
  compare->callback([options, &exit_code] { exit_code = diff(*options); });
  verb->callback([options, format, compare, &exit_code] {
    if (compare->parsed()) return;
    if (options->directory.empty()) throw CLI::RequiredError("DIR");
    const bool printed = options->budget.empty() && options->post.empty();
    if (format->count() > 0 && options->out.empty() && !printed)
      throw CLI::ValidationError(options->budget.empty() ? "--post prints no timeline: --format needs --out"
                                                         : "--budget prints its own table: --format needs --out");
    exit_code = show(*options);
  });
}

}  // namespace sunup
