#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

#include "contract/write.h"
#include "fleet/launch/azure_request.h"
#include "fleet/launch/batch.h"
#include "fleet/launch/bootstrap_script.h"
#include "fleet/launch/explain.h"
#include "fleet/launch/launch_template.h"
#include "fleet/launch/node_config.h"
#include "fleet/launch/resolve_request.h"
#include "fleet/sources/cluster_probe.h"
#include "fleet/sources/image_source.h"
#include "input_lines.h"
#include "results_flags.h"
#include "standard_output.h"
#include "verbs.h"

namespace sunup {
namespace {

struct Options {
  std::string settings;
  std::string nodepool;
  std::string nodeclass;
  std::string nodeclaim;
  std::string instance_type;
  std::string image_versions;
  fleet::ClusterAccess cluster;
  std::string bootstrap;
  std::string format;
  std::string batch;
  ResultsFlags results;
  bool explain = false;
  bool whole = false;
  bool strict = false;
};

bool one_of(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Describes options that cannot be combined; empty if all can. No option is ignored silently.
std::string contradiction(const Options& options) {
  const bool batch = !options.batch.empty();
  if (batch && options.explain) return "--explain applies to one node and cannot be combined with --batch";
  if (batch && !options.nodeclaim.empty()) return "--nodeclaim and --batch cannot be combined: both name the claims";
  if (batch && !options.format.empty() && options.format != "json")
    return "--batch prints launch templates; it has no --format " + options.format;
  if (batch && options.strict)
    return "--strict applies to one node; with --batch, the launch templates contain their warnings";
  if (options.explain && !one_of(options.format, {"", "text", "json"}))
    return "--explain prints text or json; it has no --format " + options.format;
  if (!options.explain && options.format == "text") return "--format text is for --explain";
  if (!options.explain && options.whole) return "--whole is for --explain";
  if (options.format == "nodeconfig" && options.bootstrap == "scriptless")
    return "--format nodeconfig cannot be combined with --bootstrap scriptless";
  if (!options.results.url.empty() && (options.explain || options.bootstrap == "scriptless" ||
                                       one_of(options.format, {"script", "variables", "nodeconfig"})))
    return "--results-url is part of custom data with an AKSNodeConfig, which these options do not print";
  return "";
}

fleet::Environment process_environment() {
  fleet::Environment environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const size_t equals = text.find('=');
    if (equals != text.npos) environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

Result<void> read_into(std::vector<fleet::Document>& documents, const std::string& path) {
  if (path.empty()) return {};
  auto read = fleet::read_document_file(path);
  if (!read) return std::move(read).error();
  if (read->empty()) return Error(path + ": is empty");
  std::ranges::move(*read, std::back_inserter(documents));
  return {};
}

// Reads the name of a common size, or a file that describes other sizes.
Result<void> read_instance_types(const std::string& given, fleet::SourceDocuments& sources) {
  if (given.empty()) return {};
  if (auto known = fleet::known_instance_type(given)) {
    sources.sizes.push_back(*std::move(known));
    return {};
  }
  auto documents = fleet::read_document_file(given);
  if (!documents && documents.error().os_errno == ENOENT && given.find_first_of("./") == given.npos)
    return Error(given + " is not a known size, and there is no file of that name").with_hint(fleet::kDescribeSizeHint);
  if (!documents) return std::move(documents).error();
  sources.instance_types = *std::move(documents);
  return {};
}

// Reads all files on the command line.
Result<fleet::SourceDocuments> read_documents(const Options& options) {
  fleet::SourceDocuments sources;
  if (!options.settings.empty()) {
    auto documents = fleet::read_document_file(options.settings);
    if (!documents) return std::move(documents).error();
    sources.settings = *std::move(documents);
  }
  sources.environment = process_environment();
  sources.cluster_url = options.cluster.url;
  for (const std::string* path : {&options.nodepool, &options.nodeclass})
    if (auto read = read_into(sources.objects, *path); !read) return read.error();
  if (auto read = read_instance_types(options.instance_type, sources); !read) return read.error();
  if (!options.nodeclaim.empty()) {
    auto documents = fleet::read_document_file(options.nodeclaim);
    if (!documents) return std::move(documents).error();
    if (documents->size() != 1)
      return Error(options.nodeclaim + ": must contain exactly one NodeClaim; use --batch for several");
    sources.claim = std::move(documents->front());
  }
  return sources;
}

// An override of provision-mode. --format nodeconfig prints the config that a node would get.
std::optional<fleet::BootstrapChoice> bootstrap_choice(const Options& options) {
  if (options.bootstrap == "scriptless") return fleet::BootstrapChoice{fleet::Bootstrap::kScriptless, "--bootstrap"};
  if (options.bootstrap == "nodeconfig") return fleet::BootstrapChoice{fleet::Bootstrap::kNodeConfig, "--bootstrap"};
  if (options.format == "nodeconfig")
    return fleet::BootstrapChoice{fleet::Bootstrap::kNodeConfig, "--format nodeconfig"};
  return std::nullopt;
}

void print(const fleet::Findings& findings, fleet::Severity severity, std::string_view prefix) {
  std::fputs(fleet::describe(findings, severity, prefix).c_str(), stderr);
}

int run_batch(const Options& options, const fleet::Resolver& resolver, const fleet::Catalog& catalog,
              std::optional<render::ResultService> results) {
  auto lines = InputLines::open(options.batch);
  if (!lines) return complain("resolve", lines.error());
  fleet::Batch batch(resolver, catalog, std::move(results));
  std::string out;
  bool all = true;
  while (true) {
    const auto line = lines->next();
    if (!line) return complain("resolve", line.error());
    if (!*line) break;
    if ((*line)->find_first_not_of(" \t\r") == std::string_view::npos) continue;
    all = batch.resolve(**line, out, lines->number()) && all;
    out += '\n';
    std::fwrite(out.data(), 1, out.size(), stdout);
    out.clear();
  }
  return all ? 0 : 1;
}

Result<std::string> shown(const Options& options, const fleet::Resolution& node, const fleet::LaunchTemplate& made) {
  const std::string& format = options.format;
  if (options.explain) {
    const auto rows = fleet::explain(node);
    return format == "json" ? fleet::explain_json(rows).dump(2) + "\n"
                            : fleet::explain_text(rows, options.whole ? 0 : 60);
  }
  if (format == "vm") return fleet::virtual_machine_request(node, made).dump(2) + "\n";
  if (format == "vmss") {
    auto request = fleet::scale_set_request(node, made);
    if (!request) return std::move(request).error();
    return request->dump(2) + "\n";
  }
  if (format == "script") return fleet::bootstrap_script(fleet::BootstrapVariables(node));
  if (format == "nodeconfig") return contract::to_json(fleet::node_config(node));
  if (format == "variables") {
    nlohmann::ordered_json variables = nlohmann::ordered_json::object();
    for (const auto& line : fleet::assignments(fleet::BootstrapVariables(node))) variables[line.name] = line.value;
    return variables.dump(2) + "\n";
  }
  return fleet::launch_template_text(node, made) + "\n";
}

int run(const Options& options) {
  if (const std::string wrong = contradiction(options); !wrong.empty()) return complain("resolve", Error(wrong));
  auto results = options.results.read();
  if (!results) return complain("resolve", results.error());
  auto documents = read_documents(options);
  if (!documents) return complain("resolve", documents.error());
  auto read = fleet::read_sources(*documents);
  if (!read) return complain("resolve", read.error());
  const fleet::ResolveSources& sources = *read;
  std::optional<fleet::ClusterDoor> door;
  if (!options.cluster.url.empty()) {
    auto opened = fleet::open_door(options.cluster);
    if (!opened) return complain("resolve", opened.error());
    door = *std::move(opened);
  }
  print(sources.findings, fleet::Severity::kNote, "note: ");
  print(sources.findings, fleet::Severity::kWarning, "warning: ");
  print(sources.findings, fleet::Severity::kError, "error: ");
  print(sources.claim_findings, fleet::Severity::kError, "error: ");
  if (sources.refused()) return 1;

  fleet::Detected detected;
  if (door) {
    auto probed = fleet::probe_cluster(*door);
    if (!probed) return complain("resolve", probed.error(), 1);
    detected = probed->detected;
    for (const std::string& note : probed->notes) std::fprintf(stderr, "sunup resolve: %s\n", note.c_str());
  }
  auto versions = fleet::open_image_versions(options.image_versions);
  if (!versions) return complain("resolve", versions.error());
  const fleet::Resolver resolver =
      fleet::make_resolver(sources.settings, detected, **versions, bootstrap_choice(options));
  if (!options.batch.empty()) return run_batch(options, resolver, sources.catalog, *std::move(results));

  auto node = fleet::resolve_request(sources, resolver);
  if (!node) return complain("resolve", node.error(), 1);
  // As in a batch, the warnings about the claim are part of the launch template.
  node->warnings.insert(node->warnings.end(), sources.claim_findings.begin(), sources.claim_findings.end());
  print(node->warnings, fleet::Severity::kNote, "note: ");
  print(node->warnings, fleet::Severity::kWarning, "warning: ");
  const auto made = fleet::make_launch_template(*node, *results);
  if (!made) return complain("resolve", made.error(), 1);
  if (*results && node->kind->bootstrap == fleet::Bootstrap::kScriptless)
    std::fputs("warning: --results-url has no effect: a scriptless node does not send its result\n", stderr);
  const auto text = shown(options, *node, *made);
  if (!text) return complain("resolve", text.error(), 1);
  std::fputs(text->c_str(), stdout);
  const auto warned_in = [](const fleet::Findings& findings) {
    return std::ranges::find(findings, fleet::Severity::kWarning, &fleet::Finding::severity) != findings.end();
  };
  const bool warned = warned_in(node->warnings) || warned_in(sources.findings);
  return options.strict && warned ? 1 : 0;
}

}  // namespace

void add_resolve(CLI::App& app, int& exit_code) {
  auto* verb = add_verb(app, "resolve", "resolve configuration sources to a launch template");
  verb->footer(
      "Combines settings, node pool, node class, claim and instance type, and prints the launch template of the node "
      "as\nJSON. Settings come from a file (current options by flag or variable name, or the older ConfigMap), which "
      "overrides\nthe environment. A violated rule is reported with file, line, path and rule; a setting that is "
      "accepted but has no\neffect causes a warning.\n\n  sunup resolve --settings settings.yaml --nodepool pool.yaml "
      "--nodeclass class.yaml \\\n      --instance-type Standard_D4s_v5\n  sunup resolve ... --explain              "
      "which source set each value, and what it overrode\n  sunup resolve ... --batch claims.jsonl   reads one "
      "NodeClaim per line, prints one launch template per line");
  auto o = std::make_shared<Options>();
  verb->add_option("--settings", o->settings,
                   "cluster-wide settings, YAML or JSON; - is standard input, here and below");
  verb->add_option("--nodepool", o->nodepool,
                   "NodePool (or Provisioner); a file may contain several, and also classes");
  verb->add_option("--nodeclass", o->nodeclass, "AKSNodeClass (or NodeTemplate)");
  verb->add_option("--nodeclaim", o->nodeclaim, "the NodeClaim; default: the one that the pool generates");
  verb->add_option("--instance-type", o->instance_type, "a file with instance types, or the name of a common size");
  auto* cluster =
      verb->add_option("--cluster", o->cluster.url, "query this API server for version, CA bundle and DNS address");
  verb->add_option("--cluster-ca", o->cluster.ca_file, "PEM file that the API server's certificate must chain to")
      ->needs(cluster);
  verb->add_option("--cluster-token-file", o->cluster.token_file, "file with a bearer token for the API server")
      ->needs(cluster);
  verb->add_option("--cluster-timeout", o->cluster.timeout_seconds, "time limit for all requests, in seconds")
      ->check(CLI::Range(1, 600))
      ->needs(cluster);
  verb->add_option("--image-versions", o->image_versions,
                   "source of image versions: a file or a URL; default: a built-in list");
  verb->add_option("--bootstrap", o->bootstrap, "scriptless (variables in a script) or nodeconfig (AKSNodeConfig)")
      ->check(one_of({"scriptless", "nodeconfig"}));
  o->results.add_to(*verb);
  verb->add_flag("--explain", o->explain, "show for every value which source set it and what it overrode");
  verb->add_flag("--whole", o->whole, "with --explain: do not shorten values");
  verb->add_option("--format", o->format,
                   "json (launch template), vm, vmss, script, variables or nodeconfig (implies --bootstrap "
                   "nodeconfig);\nwith --explain: text or json")
      ->check(one_of({"json", "text", "vm", "vmss", "script", "variables", "nodeconfig"}));
  verb->add_option("--batch", o->batch, "JSON lines of NodeClaims to resolve, - for standard input");
  verb->add_flag("--strict", o->strict, "exit with 1 if there is a warning");
  verb->callback([o, &exit_code] { exit_code = run(*o); });
}

}  // namespace sunup
