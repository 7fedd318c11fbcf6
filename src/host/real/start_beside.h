// The decision behind Units::start_beside: whether the start of a unit would wait only for the job of one other unit.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sunup::host::real {

// The relations of a unit that affect its start.
struct Relations {
  std::vector<std::string> waits_for = {};  // ordered before it
  std::vector<std::string> conflicts = {};  // stopped when it starts
  std::vector<std::string> needs = {};      // started with it; it does not start without them
  std::vector<std::string> wants = {};      // started with it

  // The list for a property of systemd; nullptr if there is none.
  std::vector<std::string>* list(std::string_view property) {
    if (property == "After") return &waits_for;
    if (property == "Conflicts" || property == "ConflictedBy") return &conflicts;
    if (property == "Requires" || property == "Requisite" || property == "BindsTo") return &needs;
    return property == "Wants" ? &wants : nullptr;
  }
  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto* list : {&waits_for, &conflicts, &needs, &wants}) all.insert(list->begin(), list->end());
    return all;
  }
};

// What the manager reports about a unit.
struct ListedUnit {
  std::string name;
  std::string load = "loaded";
  std::string active = "inactive";
  std::string job = {};  // its type ("start", "stop" ...); empty: none is queued
};

// Whether a start of the unit with these relations would only wait for the job of `other`, and start or stop no other
// units. `units` are those that the relations name, the unit itself and `other`.
inline bool waits_only_for(const Relations& relations, const std::vector<ListedUnit>& units, std::string_view other) {
  const std::set<std::string> needs(relations.needs.begin(), relations.needs.end());
  const std::set<std::string> wants(relations.wants.begin(), relations.wants.end());
  const std::set<std::string> conflicts(relations.conflicts.begin(), relations.conflicts.end());
  for (const ListedUnit& unit : units) {
    const bool is_up = unit.active == "active";
    bool has_effect = false;
    if (unit.name == other) {
      has_effect = unit.job.empty() ? !is_up : unit.job != "start" && unit.job != "restart";
    } else if (conflicts.contains(unit.name)) {
      has_effect = !unit.job.empty() || (unit.active != "inactive" && unit.active != "failed");
    } else {
      const bool would_start = needs.contains(unit.name) || (wants.contains(unit.name) && unit.load == "loaded");
      has_effect = !unit.job.empty() || (!is_up && would_start);
    }
    if (has_effect) return false;
  }
  return true;
}

}  // namespace sunup::host::real
