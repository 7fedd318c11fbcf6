// sunup config check: what is wrong with a config, where, and what to do. docs/config-check.md is its contract.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/base64.h"
#include "config.h"
#include "contract/check.h"
#include "contract/explain.h"
#include "contract/field_docs.h"
#include "fleet/sources/join_check.h"
#include "load_config.h"
#include "render/cse_env.h"
#include "render/node/credentials.h"
#include "render/node/refusals.h"

namespace sunup {
namespace {

using contract::Finding;
using contract::Severity;

struct Options {
  std::vector<std::string> files;
  bool strict = false;
  bool cluster = false;
  int cluster_timeout = 15;
  std::string format = "text";
};

std::string_view word(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      break;
  }
  return "note";
}

struct Tally {
  int errors = 0;
  int warnings = 0;
  int notes = 0;
  void add(const Finding& finding) {
    ++(finding.severity == Severity::kError ? errors : finding.severity == Severity::kWarning ? warnings : notes);
  }
  std::string text() const {
    const auto count = [](int n, const char* noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); };
    std::string out = count(errors, "error") + ", " + count(warnings, "warning");
    return notes ? out + ", " + count(notes, "note") : out;
  }
};

struct Judged {
  std::string file;
  bool refused = false;
  std::vector<Finding> findings;
};

// An error tells of all that is around it or inside; what is less than that may be about something else there.
bool tells_of(const Finding& finding, const std::string& path) {
  if (finding.path == path) return true;
  return finding.severity == Severity::kError && (finding.path.starts_with(path) || path.starts_with(finding.path));
}

// The check knows the contract, not what each file of the node is made of. What native provisioning would refuse and
// no finding tells of yet is added here. It is no more than a warning: with the scripts such a node may come up.
void add_refusals(const contract::Configuration& config, const contract::Places& places,
                  std::vector<Finding>& findings) {
  std::vector<Finding> more;
  for (render::node::Refusal& refusal : render::node::refusals(config)) {
    const std::string path = refusal.field.empty() ? "$" : "$." + refusal.field;
    if (std::ranges::any_of(findings, [&](const Finding& finding) { return tells_of(finding, path); })) continue;
    more.push_back({Severity::kWarning, "native-refusal", path, contract::place_of(places, path),
                    "native provisioning refuses this: " + refusal.error.what, refusal.error.hint});
  }
  std::ranges::move(more, std::back_inserter(findings));
}

// The field of the config that the variable is made from, as a path; "$" if none of them is there.
std::string field_of_variable(const std::string& variable, const contract::Places& places) {
  for (const contract::FieldDoc& doc : contract::field_docs()) {
    const bool makes_it = std::ranges::any_of(
        doc.variables, [&](const std::string& documented) { return contract::is_variable(variable, documented); });
    const std::string path = "$." + doc.path;
    if (makes_it && places.contains(path)) return path;
  }
  return "$";
}

// The image's scripts get the config as environment variables, and the kernel refuses to start a program with a
// variable that is too long.
void add_too_long_variables(const contract::Configuration& config, const contract::Places& places,
                            std::vector<Finding>& findings) {
  for (const auto& [name, value] : render::cse_environment(config, {})) {
    const auto fits = render::fits_the_kernel(name, value);
    if (fits) continue;
    const std::string path = field_of_variable(name, places);
    if (std::ranges::any_of(
            findings, [&](const Finding& finding) { return finding.rule == "too-long" && tells_of(finding, path); }))
      continue;
    findings.push_back({Severity::kError, "too-long", path, contract::place_of(places, path), fits.error().what,
                        "shorten the value; the scripts of the image cannot be started with it"});
  }
}

// Asks the API server that the config names, as a node would: with the config's CA and its token.
void add_join_problem(const contract::Configuration& config, const contract::Places& places, int timeout_seconds,
                      std::vector<Finding>& findings) {
  const auto add = [&](const char* rule, const std::string& path, std::string message, std::string hint) {
    findings.push_back(
        {Severity::kError, rule, path, contract::place_of(places, path), std::move(message), std::move(hint)});
  };
  constexpr char kServer[] = "$.api_server_config.api_server_name";
  constexpr char kCa[] = "$.kubernetes_ca_cert";
  const auto ca = base64_decode(config.kubernetes_ca_cert());
  if (config.api_server_config().api_server_name().empty() || !ca || ca->find("BEGIN CERTIFICATE") == std::string::npos)
    return add("cluster-server", kServer, "the cluster is not asked: the config lacks an API server or a CA", "");
  fleet::JoinQuestion question{.url = render::node::api_server_url(config),
                               .ca_pem = *ca,
                               .token = Secret(config.bootstrapping_config().tls_bootstrapping_token()),
                               .timeout = std::chrono::seconds(timeout_seconds)};
  const auto problem = fleet::check_join(question);
  if (!problem) return;
  using About = fleet::JoinProblem::About;
  switch (problem->about) {
    case About::kServer:
      return add("cluster-server", kServer, problem->message, problem->hint);
    case About::kCertificate:
      return add("cluster-trust", kCa, problem->message, problem->hint);
    case About::kClock:
      return add("cluster-clock", kServer, problem->message, problem->hint);
    case About::kToken:
      return add("cluster-token", "$.bootstrapping_config.tls_bootstrapping_token", problem->message, problem->hint);
  }
}

// Nothing: the file could not be read, which has been said.
std::optional<Judged> judge(const std::string& file, const Options& options, std::time_t now) {
  Judged judged;
  judged.file = file;
  contract::Details details;
  render::NbcConfig command;
  auto loaded = read_config_or_command(file, command, &details);
  if (!loaded && loaded.error().os_errno != 0) {
    fmt::print(stderr, "sunup: {}\n", loaded.error().what);
    return std::nullopt;
  }
  if (!loaded) {
    judged.refused = true;
    judged.findings.push_back(details.refusal);
    return judged;
  }
  judged.findings = std::move(loaded->findings);
  for (Finding& finding : contract::check(loaded->config, details.places, {.now = now}))
    judged.findings.push_back(std::move(finding));
  add_refusals(loaded->config, details.places, judged.findings);
  add_too_long_variables(loaded->config, details.places, judged.findings);
  if (options.cluster) add_join_problem(loaded->config, details.places, options.cluster_timeout, judged.findings);
  contract::sort_by_place(judged.findings);
  return judged;
}

void print_text(const Judged& judged) {
  Tally tally;
  for (const Finding& finding : judged.findings) {
    tally.add(finding);
    fmt::print("{}:{}:{}: {}: {}: {} [{}]\n", judged.file, finding.at.line, finding.at.column, word(finding.severity),
               finding.path, finding.message, finding.rule);
    if (!finding.hint.empty()) fmt::print("    hint: {}\n", finding.hint);
  }
  fmt::print("{}: {}\n", judged.file, judged.findings.empty() ? "ok" : tally.text());
}

nlohmann::ordered_json as_json(const Judged& judged) {
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
  for (const Finding& finding : judged.findings)
    findings.push_back({{"severity", word(finding.severity)},
                        {"rule", finding.rule},
                        {"path", finding.path},
                        {"line", finding.at.line},
                        {"column", finding.at.column},
                        {"message", finding.message},
                        {"hint", finding.hint}});
  return {{"file", judged.file}, {"refused", judged.refused}, {"findings", std::move(findings)}};
}

int run(const Options& options) {
  Tally total;
  bool unreadable = false;
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const std::string& file : options.files) {
    const auto judged = judge(file, options, std::time(nullptr));
    if (!judged) {
      unreadable = true;
      continue;
    }
    for (const Finding& finding : judged->findings) total.add(finding);
    if (options.format == "json") {
      files.push_back(as_json(*judged));
    } else {
      print_text(*judged);
    }
  }
  if (options.format == "json") {
    const nlohmann::ordered_json all = {
        {"files", std::move(files)}, {"errors", total.errors}, {"warnings", total.warnings}, {"notes", total.notes}};
    fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  }
  if (unreadable) return 2;
  return total.errors > 0 || (options.strict && total.warnings > 0) ? 1 : 0;
}

}  // namespace

void add_config_check(CLI::App& config, int& exit_code) {
  auto* verb = config.add_subcommand("check", "check configs: what is wrong, where, and what to do");
  const auto options = std::make_shared<Options>();
  verb->add_option("FILE", options->files, "the configs, or commands (see from-nbc); - is standard input")->required();
  verb->add_flag("--strict", options->strict, "warnings count as errors");
  verb->add_flag("--cluster", options->cluster,
                 "also ask the API server that the config names: its certificate, and whether it accepts the bootstrap "
                 "token (which is sent to no other server and never printed)");
  verb->add_option("--cluster-timeout", options->cluster_timeout, "seconds for --cluster")
      ->check(CLI::Range(1, 600))
      ->capture_default_str();
  verb->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  verb->footer(
      "Exit code: 0 usable (possibly with warnings), 1 errors, 2 a file cannot be read.\nExample: sunup config check "
      "--strict node.json");
  verb->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace sunup
