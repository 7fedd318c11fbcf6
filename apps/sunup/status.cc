#include "report/status.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "base/input.h"
#include "base/quoted.h"
#include "load_config.h"
#include "verbs.h"

namespace sunup {
namespace {

int parse_status(const std::string& path, const std::string& format) {
  int unreadable = 0;
  const auto text = read_input(path, unreadable);
  if (!text) return unreadable;
  const report::StatusReport report = report::find_statuses(*text);
  if (format == "json") {
    std::fputs(report::verdict_json(report).c_str(), stdout);
  } else {
    std::fputs(report::verdict_text(report).c_str(), stdout);
  }
  if (report.statuses.empty()) {
    fmt::print(stderr, "sunup: {}: contains no CSEStatus (an object with ExitCode, as in provision.json)\n",
               input_name(path));
    for (const report::PlatformStatus& status : report.platform) {
      fmt::print(stderr, "sunup: the platform reports for {}: {}: {}\n", visible(status.source), visible(status.code),
                 visible(status.message));
    }
  }
  return report.exit_code();
}

}  // namespace

void add_status(CLI::App& app, int& exit_code) {
  struct Options {
    std::string file = "-";
    std::string format = "text";
  };
  auto options = std::make_shared<Options>();
  auto* verb = add_verb(app, "status", "explain the result of provisioning");
  verb->require_subcommand(1);
  verb->footer("Example: sunup status parse /var/log/azure/aks/provision.json");
  auto* parse = add_verb(*verb, "parse", "find the CSEStatus in the output of the platform and explain it");
  parse->footer(
      "Exit code: 0 the node was provisioned, 1 it was not, 2 there is no usable status.\nExample: az vm "
      "get-instance-view -g GROUP -n VM | sunup status parse");
  parse->add_option("FILE", options->file,
                    "CSE text, instance view JSON or provision.json; default: standard input (-)");
  parse->add_option("--format", options->format, "text or json")
      ->check(one_of({"text", "json"}))
      ->capture_default_str();
  parse->callback([options, &exit_code] { exit_code = parse_status(options->file, options->format); });
}

}  // namespace sunup
