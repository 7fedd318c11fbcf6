#include "render/node/judged_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "contract/check.h"
#include "contract/explain.h"
#include "contract/field_docs.h"
#include "render/config_or_command.h"
#include "render/cse_env.h"
#include "render/node/refusals.h"

namespace sunup::render::node {
namespace {

using contract::Finding;
using contract::Severity;

// An error covers everything around it and inside it. Another finding covers only its own path.
bool covers(const Finding& finding, const std::string& path) {
  if (finding.path == path) return true;
  return finding.severity == Severity::kError && (finding.path.starts_with(path) || path.starts_with(finding.path));
}

// The check knows the contract, not the files of the node. What native provisioning would refuse and no finding covers
// yet is added here, as a warning: with the image's scripts such a node may become Ready.
void add_refusals(JudgedConfig& judged) {
  std::vector<Finding> more;
  for (Refusal& refusal : refusals(judged.config)) {
    const std::string path = refusal.field.empty() ? "$" : "$." + refusal.field;
    if (std::ranges::any_of(judged.findings, [&](const Finding& finding) { return covers(finding, path); })) continue;
    more.push_back({Severity::kWarning, "native-refusal", path, contract::place_of(judged.places, path),
                    "native provisioning refuses this: " + refusal.error.what, refusal.error.hint});
  }
  std::ranges::move(more, std::back_inserter(judged.findings));
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
void add_too_long_variables(JudgedConfig& judged) {
  for (const auto& [name, value] : cse_environment(judged.config, {})) {
    const auto fits = fits_the_kernel(name, value);
    if (fits) continue;
    const std::string path = field_of_variable(name, judged.places);
    if (std::ranges::any_of(judged.findings, [&](const Finding& finding) {
          return finding.rule == "too-long" && covers(finding, path);
        }))
      continue;
    judged.findings.push_back({Severity::kError, "too-long", path, contract::place_of(judged.places, path),
                               fits.error().what,
                               "shorten the value; the scripts of the image cannot be started with it"});
  }
}

}  // namespace

JudgedConfig judge_config(std::string_view text, std::string_view name, std::time_t now) {
  JudgedConfig judged;
  contract::Details details;
  NbcConfig command;
  auto loaded = load_config_or_command(text, name, command, &details);
  if (!loaded) {
    judged.refused = true;
    judged.findings.push_back(std::move(details.refusal));
    return judged;
  }
  judged.config = std::move(loaded->config);
  judged.places = std::move(details.places);
  judged.findings = std::move(loaded->findings);
  std::ranges::move(contract::check(judged.config, judged.places, {.now = now}), std::back_inserter(judged.findings));
  add_refusals(judged);
  add_too_long_variables(judged);
  contract::sort_by_place(judged.findings);
  return judged;
}

std::string_view severity_word(Severity severity) {
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

void Tally::add(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings)
    ++(finding.severity == Severity::kError ? errors : finding.severity == Severity::kWarning ? warnings : notes);
}

std::string Tally::text() const {
  const auto count = [](int n, const char* noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); };
  const std::string out = count(errors, "error") + ", " + count(warnings, "warning");
  return notes ? out + ", " + count(notes, "note") : out;
}

nlohmann::ordered_json findings_json(const std::vector<Finding>& findings) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Finding& finding : findings)
    list.push_back({{"severity", severity_word(finding.severity)},
                    {"rule", finding.rule},
                    {"path", finding.path},
                    {"line", finding.at.line},
                    {"column", finding.at.column},
                    {"message", finding.message},
                    {"hint", finding.hint}});
  return list;
}

}  // namespace sunup::render::node
