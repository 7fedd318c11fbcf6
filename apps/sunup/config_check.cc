// sunup config check: prints the problems of a config, their positions and remedies. docs/config-check.md is its
// contract.
#include <fmt/format.h>

#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/base64.h"
#include "contract/check.h"
#include "fleet/sources/join_check.h"
#include "load_config.h"
#include "render/node/config_judgement.h"
#include "render/node/credentials.h"
#include "verbs.h"

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

// Connects to the API server of the config as a node would: with the config's CA and token.
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

// No value if the file cannot be read; the error has been printed.
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
  judged.findings = render::node::judge_config(*loaded, details.places, now);
  if (options.cluster) {
    add_join_problem(loaded->config, details.places, options.cluster_timeout, judged.findings);
    contract::sort_by_place(judged.findings);
  }
  return judged;
}

void print_text(const Judged& judged) {
  Tally tally;
  for (const Finding& finding : judged.findings) {
    tally.add(finding);
    fmt::print("{}:{}:{}: {}: {}: {} [{}]\n", judged.file, finding.at.line, finding.at.column,
               render::node::severity_name(finding.severity), finding.path, finding.message, finding.rule);
    if (!finding.hint.empty()) fmt::print("    hint: {}\n", finding.hint);
  }
  fmt::print("{}: {}\n", judged.file, judged.findings.empty() ? "ok" : tally.text());
}

nlohmann::ordered_json as_json(const Judged& judged) {
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
  for (const Finding& finding : judged.findings) findings.push_back(render::node::finding_json(finding));
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
  auto* verb = add_verb(config, "check", "check configs: what is wrong, where, and what to do");
  const auto options = std::make_shared<Options>();
  verb->add_option("FILE", options->files, "the configs, or commands (see from-nbc); - is standard input")->required();
  verb->add_flag("--strict", options->strict, "warnings count as errors");
  verb->add_flag("--cluster", options->cluster,
                 "also ask the API server that the config names: its certificate, and whether it accepts the bootstrap "
                 "token (which is sent to no other server and never printed)");
  verb->add_option("--cluster-timeout", options->cluster_timeout, "seconds for --cluster")
      ->check(CLI::Range(1, 600))
      ->capture_default_str();
  verb->add_option("--format", options->format, "text or json")->check(one_of({"text", "json"}));
  verb->footer(
      "Exit code: 0 usable (possibly with warnings), 1 errors, 2 a file cannot be read.\nExample: sunup config check "
      "--strict node.json");
  verb->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace sunup
