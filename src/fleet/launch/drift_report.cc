#include "fleet/launch/drift_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "fleet/launch/drift_cause.h"

namespace sunup::fleet {
namespace {

std::string_view action_name(DriftAction action) {
  return action == DriftAction::kReplace ? "replace" : action == DriftAction::kInPlace ? "in-place" : "none";
}

}  // namespace

bool DriftReport::needs_new_node() const {
  return std::any_of(fields.begin(), fields.end(),
                     [](const DriftedField& field) { return field.action == DriftAction::kReplace; });
}

bool DriftReport::drifted() const {
  return std::any_of(fields.begin(), fields.end(),
                     [](const DriftedField& field) { return field.action != DriftAction::kNone; });
}

std::string_view DriftReport::reason() const {
  for (const DriftCause cause :
       {DriftCause::kNodePool, DriftCause::kRequirements, DriftCause::kNodeClass, DriftCause::kVersion,
        DriftCause::kIdentity, DriftCause::kImage, DriftCause::kClusterConfig, DriftCause::kInPlace})
    for (const DriftedField& field : fields)
      if (field.reason == drift_reason(cause)) return field.reason;
  return "";
}

std::string drift_text(const DriftReport& report) {
  if (report.deleting) return "no drift: the node is being deleted\n";
  std::string judged;
  for (const std::string& skipped : report.not_judged) judged += fmt::format("not judged: {}\n", skipped);
  if (report.fields.empty()) return judged + "no drift\n";
  const auto cut = [](const std::string& value) { return value.size() > 48 ? value.substr(0, 45) + "..." : value; };
  size_t field_width = 5;
  size_t reason_width = 6;
  size_t was_width = 3;
  size_t is_width = 2;
  for (const DriftedField& field : report.fields) {
    field_width = std::max(field_width, field.field.size());
    reason_width = std::max(reason_width, field.reason.size());
    was_width = std::max(was_width, cut(field.was).size());
    is_width = std::max(is_width, cut(field.is).size());
  }
  std::string text = judged + fmt::format("{:<{}}  {:<{}}  {:<{}}  {:<{}}  {}\n", "FIELD", field_width, "WAS",
                                          was_width, "IS", is_width, "REASON", reason_width, "ACTION");
  for (const DriftedField& field : report.fields)
    text += fmt::format("{:<{}}  {:<{}}  {:<{}}  {:<{}}  {}\n", field.field, field_width, cut(field.was), was_width,
                        cut(field.is), is_width, field.reason, reason_width, action_name(field.action));
  const bool in_place = std::any_of(report.fields.begin(), report.fields.end(),
                                    [](const DriftedField& field) { return field.action == DriftAction::kInPlace; });
  text += report.needs_new_node() ? fmt::format("a new node is needed: {}\n", report.reason())
          : in_place              ? "no new node is needed: the VM can be updated in place\n"
                     : "no drift: running nodes are not changed; the change takes effect with the next node\n";
  return text;
}

nlohmann::ordered_json drift_json(const DriftReport& report) {
  nlohmann::ordered_json fields = nlohmann::ordered_json::array();
  for (const DriftedField& field : report.fields)
    fields.push_back({{"field", field.field},
                      {"was", field.was},
                      {"is", field.is},
                      {"reason", field.reason},
                      {"action", action_name(field.action)}});
  return {{"drifted", report.drifted()}, {"newNodeNeeded", report.needs_new_node()},
          {"reason", report.reason()},   {"fields", std::move(fields)},
          {"patch", report.patch},       {"notJudged", report.not_judged}};
}

}  // namespace sunup::fleet
