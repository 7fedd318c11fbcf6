// sunup config check: what is wrong with a config, where, and what to do. docs/config-check.md is its contract.
#include <fmt/format.h>

#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/base64.h"
#include "config.h"
#include "contract/check.h"
#include "contract/input.h"
#include "fleet/sources/join_check.h"
#include "render/node/credentials.h"
#include "render/node/judged_config.h"

namespace sunup {
namespace {

using contract::Finding;
using contract::Severity;
using render::node::JudgedConfig;
using render::node::Tally;

struct Options {
  std::vector<std::string> files;
  bool strict = false;
  bool cluster = false;
  int cluster_timeout = 15;
  std::string format = "text";
};

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

struct File {
  std::string name;
  JudgedConfig judged;
};

// Nothing: the file could not be read, which has been said.
std::optional<File> judge(const std::string& name, const Options& options, std::time_t now) {
  File file{.name = name, .judged = {}};
  const auto text = contract::read_input(name, contract::kMaxConfigBytes);
  if (!text && text.error().os_errno != 0) {
    fmt::print(stderr, "sunup: {}\n", text.error().what);
    return std::nullopt;
  }
  if (!text) {
    contract::Details details;
    contract::refused_as_too_large(contract::input_name(name), &details);
    file.judged = {.refused = true, .findings = {details.refusal}, .config = {}, .places = {}};
    return file;
  }
  file.judged = render::node::judge_config(*text, contract::input_name(name), now);
  if (options.cluster && !file.judged.refused) {
    add_join_problem(file.judged.config, file.judged.places, options.cluster_timeout, file.judged.findings);
    contract::sort_by_place(file.judged.findings);
  }
  return file;
}

void print_text(const File& file) {
  Tally tally;
  tally.add(file.judged.findings);
  for (const Finding& finding : file.judged.findings) {
    fmt::print("{}:{}:{}: {}: {}: {} [{}]\n", file.name, finding.at.line, finding.at.column,
               render::node::severity_word(finding.severity), finding.path, finding.message, finding.rule);
    if (!finding.hint.empty()) fmt::print("    hint: {}\n", finding.hint);
  }
  fmt::print("{}: {}\n", file.name, file.judged.findings.empty() ? "ok" : tally.text());
}

int run(const Options& options) {
  Tally total;
  bool unreadable = false;
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const std::string& file : options.files) {
    const auto read = judge(file, options, std::time(nullptr));
    if (!read) {
      unreadable = true;
      continue;
    }
    total.add(read->judged.findings);
    if (options.format == "json") {
      files.push_back({{"file", read->name},
                       {"refused", read->judged.refused},
                       {"findings", render::node::findings_json(read->judged.findings)}});
    } else {
      print_text(*read);
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
