#include "controller/cse_command.h"

#include <cerrno>

#include "base/json_tree.h"
#include "base/node_paths.h"
#include "contract/input.h"
#include "contract/secrets.h"
#include "controller/child_environment.h"
#include "controller/os_reason.h"

namespace sunup::controller {
namespace {

// "open PATH: no such file or directory", "read PATH: is a directory"
std::string open_error(const std::string& path, int error) {
  if (error == ETIMEDOUT)
    return "read " + path + ": its writer did not close it within " +
           std::to_string(contract::kConfigPatience.count()) + " s";
  return (error == EISDIR ? "read " : "open ") + path + ": " + os_reason(error);
}

// The version of a config if it is not supported: its error has a text of its own, for which users search. Empty if the
// version is not the reason for the error. If a version is present, it is reported, although other members may be
// invalid as well. If no version is present, it may have been lost through another mistake in the config, and then that
// mistake is reported.
std::optional<std::string> foreign_version(std::string_view text) {
  const auto json = JsonTree::parse(text);
  if (!json) return std::nullopt;
  std::optional<std::string> version;
  for (const JsonNode& value : json->root()) {
    if (value.name != "version") continue;
    if (version || (!value.is_string() && !value.is_null())) return std::nullopt;
    version = value.is_string() ? value.text : "";
  }
  if (version == "v0" || version == "v1") return std::nullopt;
  if (version.value_or("").empty()) {
    contract::Details details;
    if (contract::load_text(text, "", &details) || details.refusal.path != "$.version") return std::nullopt;
  }
  return version.value_or("");
}

void tell_findings(Node& node, const std::vector<contract::Finding>& findings) {
  std::string summary;
  for (const contract::Finding& finding : findings) {
    if (finding.rule == "deprecated-version") {
      node.log.error("v0 version is deprecated, please use v1 instead");
      continue;
    }
    node.log.warn("config: " + finding.message, {{"path", finding.path},
                                                 {"rule", finding.rule},
                                                 {"line", finding.at.line},
                                                 {"column", finding.at.column},
                                                 {"hint", finding.hint}});
    summary += (summary.empty() ? "" : "; ") + finding.path + " (" + finding.rule + ")";
  }
  if (summary.empty()) return;
  const report::WallTime now = node.now();
  node.tell_guest_agent({.task = "ConfigFindings",
                         .level = report::EventLevel::kInformational,
                         .message = "parts of the config have no effect: " + summary,
                         .start = now,
                         .end = now,
                         .may_be_cut = true});
}

Result<render::GpuImages> gpu_images(Node& node) {
  const std::string context = "failed to load GPU config: ";
  const auto text = node.files.read(paths::kComponents);
  if (!text)
    return Error(context + "read " + paths::kComponents + ": " + open_error(paths::kComponents, text.error().os_errno));
  auto images = render::parse_gpu_components(*text);
  if (images) return images;
  const auto json = JsonTree::parse(*text);
  return Error(context + "parse " + paths::kComponents +
               ": failed to unmarshal components.json: " + (json ? images.error().what : json.error().what));
}

// The output of `containerd --version`; empty if it is not installed or does not respond.
host::Task<std::string> containerd_version(Node& node) {
  host::Command command{.argv = {"containerd", "--version"}, .env = inherited_environment()};
  command.limit = std::chrono::seconds(30);
  const auto exit = co_await node.processes.run(std::move(command));
  if (exit && exit->timed_out) node.log.warn("no response from containerd --version, assuming 1.x");
  co_return exit && exit->ok() ? exit->out : std::string();
}

}  // namespace

Result<contract::Loaded> load_config(Node& node, const std::string& path, bool quiet) {
  const auto text = contract::read_config_file(path);
  if (!text && text.error().os_errno != 0)
    return Error("open provision file " + path + ": " + open_error(path, text.error().os_errno));
  if (!text) return contract::refused_as_too_large(path).in("provision config cannot be used");
  auto loaded = contract::load_text(*text, path);
  if (!loaded) {
    if (const auto version = foreign_version(*text)) return Error("unsupported version: " + *version);
    return std::move(loaded).error().in("provision config cannot be used");
  }
  for (const Secret& secret : contract::secrets_of(loaded->config)) node.redactor.hide(secret.reveal());
  if (const std::string& token = loaded->config.bootstrapping_config().tls_bootstrapping_token(); !token.empty())
    node.bootstrap_token = Secret(token);
  if (!quiet) tell_findings(node, loaded->findings);
  return loaded;
}

host::Task<Result<render::Environment>> cse_environment(Node& node, const contract::Configuration& config) {
  auto images = gpu_images(node);
  if (!images) co_return std::move(images).error();
  std::string containerd = co_await containerd_version(node);
  const render::ImageFacts image{.containerd_version = std::move(containerd), .gpu = std::move(*images)};
  std::vector<std::string> remarks;
  auto environment = render::cse_environment(config, image, &remarks);
  for (const std::string& remark : remarks) node.log.info(remark);
  co_return environment;
}

void below_root(const Node& node, render::Environment& environment) {
  for (const char* name : {"PROVISION_OUTPUT", "INIT_AKS_CLOUD_FILEPATH"})
    if (const auto found = environment.find(name); found != environment.end())
      found->second = node.on_machine(found->second);
}

std::vector<std::string> cse_argv(const Node& node) {
  // One line with the original's spacing (a tab, a space at the end), because users compare the output of `ps` and dry
  // runs.
  const std::string line =
      "echo $(date),$(hostname) > ${PROVISION_OUTPUT}; if [ -f \"${INIT_AKS_CLOUD_FILEPATH}\" ]; then "
      "\t\"${INIT_AKS_CLOUD_FILEPATH}\" >> " +
      node.on_machine(paths::kScriptLog) + " 2>&1 || exit $?; fi; /usr/bin/nohup /bin/bash -c \"/bin/bash " +
      node.on_machine(paths::kStartScript) + "\" ";
  return {"/bin/bash", "-c", line};
}

}  // namespace sunup::controller
