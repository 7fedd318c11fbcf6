#include "controller/load_config.h"

#include <cerrno>

#include "base/json_tree.h"
#include "contract/secrets.h"
#include "controller/os_reason.h"

namespace sunup::controller {
namespace {

std::string why_unread(const std::string& path, int error) {
  if (error == ETIMEDOUT)
    return "read " + path + ": its writer did not close it within " +
           std::to_string(contract::kConfigPatience.count()) + " s";
  return reason_unread(path, error);
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

}  // namespace

Result<contract::Loaded> load_config(Node& node, const std::string& path, bool quiet) {
  const auto text = node.callers_files.read_input(path, contract::kMaxConfigBytes, contract::kConfigPatience);
  if (!text && text.error().os_errno == EFBIG)
    return contract::refused_as_too_large(path).in("provision config cannot be used");
  if (!text) return Error("open provision file " + path + ": " + why_unread(path, text.error().os_errno));
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

}  // namespace sunup::controller
