#include "azure/goal_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "azure/xml.h"
#include "base/text.h"
#include "base/utf8.h"

namespace sunup::azure {
namespace {

constexpr size_t kLongestId = 512;

// Truncates at a character boundary, because the server rejects text that is not UTF-8.
std::string description_of(const Health& health) {
  std::string out;
  std::string_view rest = health.description;
  while (!rest.empty()) {
    const Rune rune = first_rune(rest);
    const std::string_view piece = rune.valid() ? rest.substr(0, rune.size) : "?";
    if (out.size() + piece.size() > kLongestDescription) break;
    out += piece;
    rest.remove_prefix(rune.size);
  }
  return out;
}

// The id is sent back unmodified. It must be plain text.
bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= kLongestId &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

Result<GoalState> read_goal_state(std::string_view document) {
  const auto root = read_xml(document);
  if (!root) return root.error().in("goal state");
  if (root->name != "GoalState") return Error("goal state: the root element is not GoalState");
  GoalState goal;
  const auto incarnation = root->text_of("Incarnation");
  if (!incarnation) return incarnation.error().in("goal state");
  goal.incarnation = *incarnation;
  const XmlElement* container = root->child("Container");
  if (container == nullptr) return Error("goal state: there is no Container");
  const auto id = container->text_of("ContainerId");
  if (!id) return id.error().in("goal state");
  goal.container_id = *id;
  const XmlElement* list = container->child("RoleInstanceList");
  const XmlElement* instance = list == nullptr ? nullptr : list->child("RoleInstance");
  if (instance == nullptr) return Error("goal state: there is no RoleInstance yet");
  const auto instance_id = instance->text_of("InstanceId");
  if (!instance_id) return instance_id.error().in("goal state");
  goal.instance_id = *instance_id;
  if (!as_number<int64_t>(goal.incarnation)) return Error("goal state: Incarnation is not a number");
  if (!is_id(goal.container_id)) return Error("goal state: there is no usable ContainerId");
  if (!is_id(goal.instance_id)) return Error("goal state: there is no usable InstanceId");
  return goal;
}

std::string health_xml(const GoalState& goal, const Health& health) {
  std::string details;
  if (!health.ready)
    details = fmt::format("<Details><SubStatus>{}</SubStatus><Description>{}</Description></Details>",
                          xml_escaped(health.sub_status), xml_escaped(description_of(health)));
  return fmt::format(
      R"(<?xml version="1.0" encoding="utf-8"?>)"
      R"(<Health xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">)"
      "<GoalStateIncarnation>{}</GoalStateIncarnation><Container><ContainerId>{}</ContainerId><RoleInstanceList><Role>"
      "<InstanceId>{}</InstanceId><Health><State>{}</State>{}</Health></Role></RoleInstanceList></Container></Health>",
      xml_escaped(goal.incarnation), xml_escaped(goal.container_id), xml_escaped(goal.instance_id),
      health.ready ? "Ready" : "NotReady", details);
}

std::string health_json(const Health& health) {
  nlohmann::ordered_json body = {{"state", health.ready ? "Ready" : "NotReady"}};
  if (!health.ready) body["details"] = {{"subStatus", health.sub_status}, {"description", description_of(health)}};
  return body.dump();
}

}  // namespace sunup::azure
