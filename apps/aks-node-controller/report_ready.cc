#include "controller/report_ready.h"

#include "base/text.h"
#include "controller/own_output.h"
#include "verbs.h"

namespace sunup {
namespace {

std::optional<std::string> wrong_seconds(std::string_view value) {
  const auto seconds = as_number<int64_t>(value);
  if (seconds && *seconds >= 1 && *seconds <= 86400) return std::nullopt;
  return "must be a number of seconds from 1 to 86400";
}

constexpr controller::Flag kFlags[] = {
    {"wait", "", "wait for a result if there is none yet; report Ready only once for each VM"},
    {"failure", "TEXT", "report NotReady with this reason, regardless of the result"},
    {"timeout", "SECONDS", "how long to try until Azure accepts the report (default: 1200)", wrong_seconds},
};

int run(Program& program, const controller::CommandLine& line) {
  controller::ReportOptions options{.wait = line.flags.on("wait"), .failure = line.flags.text("failure")};
  if (const auto seconds = as_number<int64_t>(line.flags.text("timeout")))
    options.limit = std::chrono::seconds(*seconds);
  const auto reported = program.loop().run(controller::report_ready(program.node_to_provision(), std::move(options)));
  if (reported) return 0;
  const Error& error = reported.error();
  controller::write_stderr("report-ready: " + error.what + (error.hint.empty() ? "" : "\n  hint: " + error.hint) +
                           "\n");
  return 1;
}

}  // namespace

const Verb kReportReady{.syntax = {"report-ready", "report to Azure how provisioning ended: Ready or NotReady",
                                   "aks-node-controller report-ready --wait", kFlags,
                                   "Azure takes the report for the state of this VM; it cannot be taken back."},
                        .run = run};

}  // namespace sunup
