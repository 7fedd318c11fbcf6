#include "render/node/config_judgement.h"

#include <algorithm>
#include <iterator>

#include "contract/check.h"
#include "contract/explain.h"
#include "contract/field_docs.h"
#include "render/cse_env.h"
#include "render/node/refusals.h"

namespace sunup::render::node {
namespace {

using contract::Finding;
using contract::Severity;

// An error covers the whole path, above and below it; a finding of lower severity may be about something else there.
bool tells_of(const Finding& finding, const std::string& path) {
  if (finding.path == path) return true;
  return finding.severity == Severity::kError && (finding.path.starts_with(path) || path.starts_with(finding.path));
}

// The check knows the contract, but not what each file of the node is made of. This adds what native provisioning would
// refuse and no finding covers yet. These are only warnings, because with the image's scripts such a node may still
// work.
void add_refusals(const contract::Configuration& config, const contract::Places& places,
                  std::vector<Finding>& findings) {
  std::vector<Finding> more;
  for (Refusal& refusal : refusals(config)) {
    const std::string path = refusal.field.empty() ? "$" : "$." + refusal.field;
    if (std::ranges::any_of(findings, [&](const Finding& finding) { return tells_of(finding, path); })) continue;
    more.push_back({Severity::kWarning, "native-refusal", path, contract::place_of(places, path),
                    "native provisioning refuses this: " + refusal.error.what, refusal.error.hint});
  }
  std::ranges::move(more, std::back_inserter(findings));
}

// The path of the config field that the variable is derived from; "$" if no such field is set.
std::string field_of_variable(const std::string& variable, const contract::Places& places) {
  for (const contract::FieldDoc& doc : contract::field_docs()) {
    const bool makes_it = std::ranges::any_of(
        doc.variables, [&](const std::string& documented) { return contract::is_variable(variable, documented); });
    const std::string path = "$." + doc.path;
    if (makes_it && places.contains(path)) return path;
  }
  return "$";
}

// The image's scripts get the config as environment variables, and the kernel refuses to start a program if a variable
// is too long.
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

}  // namespace

std::vector<Finding> judge_config(const contract::Loaded& loaded, const contract::Places& places, std::time_t now,
                                  const Deadline& deadline) {
  std::vector<Finding> findings = loaded.findings;
  std::ranges::move(contract::check(loaded.config, places, {.now = now, .deadline = deadline}),
                    std::back_inserter(findings));
  if (deadline.passed()) return findings;
  add_refusals(loaded.config, places, findings);
  add_too_long_variables(loaded.config, places, findings);
  contract::sort_by_place(findings);
  return findings;
}

std::string_view severity_name(Severity severity) {
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

nlohmann::ordered_json finding_json(const Finding& finding) {
  return {{"severity", severity_name(finding.severity)},
          {"rule", finding.rule},
          {"path", finding.path},
          {"line", finding.at.line},
          {"column", finding.at.column},
          {"message", finding.message},
          {"hint", finding.hint}};
}

}  // namespace sunup::render::node
