#include "fleet/sources/label_conflicts.h"

#include <fmt/format.h>

#include "fleet/sources/label_keys.h"

namespace sunup::fleet {
namespace {

std::string contradicts(std::string_view key, std::string_view value, const Requirement& requirement) {
  return fmt::format("label {}: {} is not what requirement {} allows", key, value, describe(requirement));
}

}  // namespace

std::optional<Error> refuse_label_conflict(const NodeClaim& claim, const NodePool* pool) {
  std::optional<Error> refusal;
  const auto hold = [&](const std::string& key, const std::string& value) {
    const std::string_view today = stable_label(key);
    for (const auto* requirements : {&claim.requirements, pool != nullptr ? &pool->requirements : nullptr}) {
      if (requirements == nullptr || refusal) continue;
      for (const Requirement& requirement : *requirements)
        if (requirement.key == today && !requirement.allows(value)) {
          refusal =
              Error(contradicts(key, value, requirement)).with_hint("they contradict each other; change one of them");
          break;
        }
    }
  };
  for (const auto& [key, value] : claim.labels) hold(key, value);
  if (pool != nullptr)
    for (const auto& [key, value] : pool->labels)
      if (!claim.labels.contains(key)) hold(key, value);
  return refusal;
}

void check_label_conflicts(const nlohmann::json& labels, const std::vector<Requirement>& requirements,
                           const std::string& requirements_path, const Document& doc, Findings& findings) {
  for (const auto& [key, value] : labels.items()) {
    if (!value.is_string()) continue;
    const std::string& text = value.get_ref<const std::string&>();
    for (size_t i = 0; i < requirements.size(); ++i)
      if (requirements[i].key == stable_label(key) && !requirements[i].allows(text))
        report(findings, Severity::kError, doc, fmt::format("{}[{}]", requirements_path, i), "contradiction",
               contradicts(key, text, requirements[i]), "they contradict each other; change one of them");
  }
}

std::string describe(const Requirement& requirement) {
  std::string values;
  for (const std::string& value : requirement.values) values.append(values.empty() ? "" : ", ").append(value);
  return values.empty() ? fmt::format("{} {}", requirement.key, requirement.op)
                        : fmt::format("{} {} [{}]", requirement.key, requirement.op, values);
}

}  // namespace sunup::fleet
