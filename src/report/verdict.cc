#include "report/status.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/quoted.h"
#include "base/text.h"
#include "report/exit_codes.h"

namespace sunup::report {
namespace {

using nlohmann::ordered_json;

constexpr size_t kOutputLines = 8;
constexpr std::string_view kIndent = "          ";  // below the value of "  error   "

const ExitCode* known(const CseStatus& status) {
  return status.exit_code ? find_exit_code(*status.exit_code) : nullptr;
}

// The last non-empty lines of the text, because a failure is reported at the end.
std::vector<std::string_view> last_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < kOutputLines) {
    const size_t start = text.find_last_of('\n');
    std::string_view line = start == std::string_view::npos ? text : text.substr(start + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") != std::string_view::npos) lines.push_back(line);
    text = start == std::string_view::npos ? std::string_view() : text.substr(0, start);
  }
  std::ranges::reverse(lines);
  return lines;
}

std::optional<double> origin(const CseStatus& status) {
  const bool any = !status.moments.empty() && status.moments.front().seconds;
  return any ? status.moments.front().seconds : std::nullopt;
}

std::string_view outcome(const CseStatus& status) {
  if (status.extension_failed || status.exit_code.value_or(0) != 0) return "failed";
  return status.exit_code ? "succeeded" : "unknown";
}

std::string headline(const CseStatus& status) {
  std::string line = uppered(status.in_progress ? "in progress" : outcome(status));
  if (!status.source.empty()) line += "  " + visible(status.source);
  if (status.in_progress) return line + ": the extension's command has not ended\n";
  if (!status.exit_code && status.extension_failed)
    return line + ", according to the extension; the text does not contain the node's own status\n";
  if (!status.exit_code) return line + ": there is a status, but its exit code is truncated or not a number\n";
  const ExitCode* code = known(status);
  if (*status.exit_code != 0) {
    line += fmt::format(": exit code {}", *status.exit_code);
    if (code != nullptr && !code->name.empty()) line += fmt::format(" {}", code->name);
  }
  if (const auto seconds = duration_of(status.result)) line += fmt::format(", after {} s", *seconds);
  return line + "\n";
}

// Whether the node's hint is more specific than the remedy of the exit code, which covers everything that ends with
// this code. A node without a more specific hint repeats the code's remedy.
bool knows_better(const CseStatus& status) {
  const ExitCode* code = known(status);
  return !status.result.hint.empty() && (code == nullptr || status.result.hint != code->remedy);
}

std::string explanation(const CseStatus& status) {
  if (status.in_progress)
    return "  do      Try again later. If the state persists, read /var/log/azure/aks/provision.json on the node: if "
           "the\n"
           "          guest agent or the node is restarted while the command runs, the extension does not report its\n"
           "          end; a new request (with a new sequence number) does.\n";
  if (!status.exit_code && status.extension_failed)
    return "  do      Read /var/log/azure/aks/provision.json and /var/log/azure/aks-node-controller.log on the node, "
           "or its\n"
           "          serial console; `sunup collect` collects them.\n";
  if (!status.exit_code || *status.exit_code == 0) return "";
  const ExitCode* code = known(status);
  const std::string own =
      knows_better(status) ? fmt::format("  do      {}\n", visible(status.result.hint, kIndent)) : "";
  if (code == nullptr) {
    return "  what    This code is not defined by the provisioning contract; a program that provisioning ran exited "
           "with it.\n" +
           own + (own.empty() ? "  do      " : "  always  ") +
           "Read the end of the output below, and /var/log/azure/cluster-provision.log on the node.\n";
  }
  std::string text = fmt::format("  what    {}\n", code->meaning);
  const std::string_view step =
      status.result.failed_step.empty() ? code->step : std::string_view(status.result.failed_step);
  if (!step.empty()) text += fmt::format("  step    {}\n", visible(step));
  if (own.empty()) {
    text += fmt::format("  do      {}\n", code->remedy);
    return text + (code->retry_may_help ? "  retry   A new attempt may help.\n"
                                        : "  retry   The same request will fail again.\n");
  }
  text += own + fmt::format("  code    Meaning of the exit code alone: {}\n", code->remedy);
  return text + "  retry   A new attempt may help once that is done.\n";
}

std::string moment_table(const CseStatus& status) {
  if (status.moments.empty()) return "";
  size_t width = 0;
  for (const BootMoment& moment : status.moments) width = std::max(width, moment.label.size());
  const std::optional<double> zero = origin(status);
  std::string text = "  boot\n";
  for (const BootMoment& moment : status.moments) {
    const std::string after = moment.seconds && zero ? fmt::format("{:+.3g} s", *moment.seconds - *zero) : "";
    text += fmt::format("    {:<{}}  {:>8}  {}\n", moment.label, width, after, visible(moment.text));
  }
  return text;
}

std::string text_of(const CseStatus& status) {
  std::string text = headline(status) + explanation(status);
  if (status.result.verdict.empty()) {
    if (!status.result.error.empty())
      text +=
          fmt::format("  {}{}\n", status.in_progress ? "says    " : "error   ", visible(status.result.error, kIndent));
  } else {
    text += "  node    (its own verdict)\n";
    for (const std::string_view line : last_lines(status.result.verdict))
      text += fmt::format("    | {}\n", visible(line));
  }
  if (outcome(status) != "succeeded" && !status.result.output.empty()) {
    text += "  output  (its end)\n";
    for (const std::string_view line : last_lines(status.result.output))
      text += fmt::format("    | {}\n", visible(line));
  }
  text += moment_table(status);
  if (status.code_is_number)
    text +=
        "  note    ExitCode is a number and should be a string: on a node, `provision-wait` fails with such a file, "
        "whatever the number.\n";
  if (status.extension_failed && status.exit_code)
    text += "  note    According to the extension; the text does not contain the node's own status.\n";
  if (status.truncated && !status.extension_failed)
    text += "  note    The status is truncated; provision.json on the node contains the rest.\n";
  return text;
}

ordered_json json_of(const CseStatus& status) {
  const ExitCode* code = known(status);
  ordered_json out;
  out["source"] = status.source;
  out["verdict"] = outcome(status);
  out["exitCode"] = status.exit_code ? ordered_json(*status.exit_code) : ordered_json(nullptr);
  out["name"] = code != nullptr ? code->name : "";
  out["area"] = code != nullptr ? code->area : "";
  out["step"] = !status.result.failed_step.empty() ? std::string_view(status.result.failed_step)
                : code != nullptr                  ? code->step
                                                   : "";
  out["meaning"] = code != nullptr ? code->meaning : "";
  out["remedy"] = code != nullptr ? code->remedy : "";
  out["retryMayHelp"] = code != nullptr && code->retry_may_help;
  out["error"] = status.result.error;
  out["hint"] = status.result.hint;
  out["nodeVerdict"] = status.result.verdict;
  out["output"] = status.result.output;
  const auto seconds = duration_of(status.result);
  out["durationSeconds"] = seconds ? ordered_json(*seconds) : ordered_json(nullptr);
  out["systemdSummary"] = status.result.systemd_summary;
  out["truncated"] = status.truncated;
  out["inProgress"] = status.in_progress;
  out["boot"] = ordered_json::array();
  const std::optional<double> zero = origin(status);
  for (const BootMoment& moment : status.moments) {
    ordered_json point{{"name", moment.key}, {"label", moment.label}, {"time", moment.text}};
    const bool placed = moment.seconds && zero;
    point["secondsAfterFirst"] = placed ? ordered_json(*moment.seconds - *zero) : ordered_json(nullptr);
    out["boot"].push_back(std::move(point));
  }
  return out;
}

}  // namespace

std::string verdict_text(const StatusReport& report) {
  std::string text;
  for (const CseStatus& status : report.statuses) {
    if (!text.empty()) text += '\n';
    text += text_of(status);
  }
  if (report.statuses.size() > 1) {
    const auto failed =
        std::ranges::count_if(report.statuses, [](const CseStatus& s) { return outcome(s) == "failed"; });
    text += fmt::format("\n{} of {} nodes failed\n", failed, report.statuses.size());
  }
  return text;
}

std::string verdict_json(const StatusReport& report) {
  constexpr const char* kVerdicts[] = {"succeeded", "failed", "unknown"};
  ordered_json out;
  out["verdict"] = kVerdicts[report.exit_code()];
  out["statuses"] = ordered_json::array();
  for (const CseStatus& status : report.statuses) out["statuses"].push_back(json_of(status));
  out["platform"] = ordered_json::array();
  for (const PlatformStatus& status : report.platform) {
    out["platform"].push_back({{"source", status.source}, {"code", status.code}, {"message", status.message}});
  }
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace sunup::report
