#include "fleet/launch/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "fleet/launch/bootstrap_script.h"
#include "render/nbc_secrets.h"

namespace sunup::fleet {
namespace {

constexpr const char* kHidden = "<secret>";

Explanation row(std::string group, std::string name, const Value<std::string>& value, bool secret = false) {
  const auto shown = [secret](const std::string& text) { return secret && !text.empty() ? kHidden : text; };
  Explanation result{std::move(group),
                     std::move(name),
                     shown(*value),
                     std::string(source_name(value.origin().source)),
                     std::string(value.origin().where),
                     {}};
  for (const auto& beaten : value.beaten()) {
    if (beaten.value.empty()) continue;  // an empty default is not worth a row
    result.beat.push_back(
        {std::string(source_name(beaten.origin.source)), std::string(beaten.origin.where), shown(beaten.value)});
  }
  return result;
}

std::string cut(const std::string& text, size_t width) {
  std::string line = text;
  std::replace(line.begin(), line.end(), '\n', ' ');
  if (width == 0 || line.size() <= width) return line;
  return std::string(utf8_start(line, width - 3)) + "...";
}

std::string with_where(const std::string& source, const std::string& where) {
  return where.empty() ? source : fmt::format("{} ({})", source, where);
}

}  // namespace

std::vector<Explanation> explain(const Resolution& node) {
  std::vector<Explanation> rows;
  const NodeClass& node_class = *node.kind->from_class;
  const auto add = [&rows](const char* name, const Value<std::string>& value) {
    rows.push_back(row("launch template", name, value));
  };
  const auto chosen = [&add](const char* name, Origin origin, std::string value) {
    add(name, Value<std::string>(origin.source, origin.where, std::move(value)));
  };
  const auto of_class = [&](const char* name, std::string_view field, std::string_view where, bool on) {
    const bool said = node_class.source_of(field) == Source::kNodeClass;
    chosen(name, said ? Origin{Source::kNodeClass, where} : Origin{Source::kHardcoded, "the node class's default"},
           on ? "true" : "false");
  };
  add("location", node.kind->cluster->location);
  chosen("zone", node.zone.value.empty() ? Origin{Source::kHardcoded, "unless one is asked for"} : node.zone.origin,
         node.zone.value);
  chosen("vmSize", node.size_origin, node.kind->instance_type->name);
  chosen("capacityType", node.capacity_type.origin, node.capacity_type.value);
  add("kubernetesVersion", node.kind->kubernetes_version);
  add("bootstrap", node.kind->bootstrap_name);
  chosen("image", node.kind->image.origin, node.kind->image.id);
  add("subnetID", node.kind->subnet_id);
  add("osDiskSizeGB", node.kind->os_disk_size);
  chosen("osDisk.type",
         node_class.managed_os_disk ? Origin{Source::kNodeClass, "spec.osDiskType"}
                                    : Origin{Source::kComputed, "what the size has room for"},
         node.kind->os_disk.ephemeral ? "Ephemeral" : "ManagedDisks");
  if (node.kind->os_disk.ephemeral)
    chosen("osDisk.placement", {Source::kInstanceType, "where its largest disk is"}, node.kind->os_disk.placement);
  add("osDisk.diskEncryptionSetID", node.kind->disk_encryption_set);
  of_class("security.encryptionAtHost", "security.encryptionAtHost", "spec.security.encryptionAtHost",
           node_class.encryption_at_host);
  of_class("security.vtpm", "security.trustedLaunch.vtpm", "spec.security.trustedLaunch.vtpm", node_class.vtpm);
  of_class("security.secureBoot", "security.trustedLaunch.secureBoot", "spec.security.trustedLaunch.secureBoot",
           node_class.secure_boot);
  add("identities", node.kind->settings->at(Option::kNodeIdentities));
  add("sshPublicKey", node.kind->settings->at(Option::kSshPublicKey));
  const auto add_all = [&rows](const char* group, const ValueMap& values) {
    values.each(
        [&](const std::string& key, const Value<std::string>& value) { rows.push_back(row(group, key, value)); });
  };
  add_all("tag", node.kind->tags);
  add_all("kubelet flag", node.kubelet_flags);
  add_all("label", node.labels);
  const BootstrapVariables variables(node);
  for (size_t i = 0; i < kVarCount; ++i) {
    const VarRow& variable = kVarRows[i];
    rows.push_back(row("variable", std::string(variable.env.empty() ? variable.field : variable.env), variables.at(i),
                       render::is_secret_variable(variable.env)));
  }
  for (const Constant& constant : constant_variables())
    rows.push_back(row("variable", std::string(constant.name),
                       Value<std::string>(Source::kHardcoded, "", std::string(constant.value))));
  // The settings themselves, so that each shows what it overrode, even if a value of the node is made of several.
  for (const OptionRow& option : option_rows())
    if (const Value<std::string>& value = node.kind->settings->at(option.option);
        value.origin().source != Source::kHardcoded)
      rows.push_back(row("setting", std::string(option.flag), value, option.secret));
  return rows;
}

std::string explain_text(const std::vector<Explanation>& rows, size_t value_width) {
  struct Line {
    std::string name;
    std::string value;
    std::string source;
    std::string beat;
  };
  std::vector<Line> lines = {{"NAME", "VALUE", "SET BY", "INSTEAD OF"}};
  std::vector<std::string> groups = {""};
  for (const Explanation& row : rows) {
    Line line{row.name, cut(row.value, value_width), with_where(row.source, row.where), ""};
    // The last overridden value would be used otherwise, so it comes first.
    for (auto it = row.beat.rbegin(); it != row.beat.rend(); ++it)
      line.beat += fmt::format("{}{} from {}", line.beat.empty() ? "" : ", then ", cut(it->value, value_width),
                               with_where(it->source, it->where));
    lines.push_back(std::move(line));
    groups.push_back(row.group);
  }
  size_t name_width = 0;
  size_t shown_width = 0;
  size_t source_width = 0;
  for (const Line& line : lines) {
    name_width = std::max(name_width, line.name.size());
    shown_width = std::max(shown_width, line.value.size());
    source_width = std::max(source_width, line.source.size());
  }
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0 && groups[i] != groups[i - 1])
      text += fmt::format("\n{}{}\n", groups[i], groups[i] == "launch template" ? "" : "s");
    std::string line = fmt::format("  {:<{}}  {:<{}}  {:<{}}  {}", lines[i].name, name_width, lines[i].value,
                                   shown_width, lines[i].source, source_width, lines[i].beat);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

nlohmann::ordered_json explain_json(const std::vector<Explanation>& rows) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Explanation& row : rows) {
    nlohmann::ordered_json beat = nlohmann::ordered_json::array();
    for (const auto& rival : row.beat)
      beat.push_back({{"source", rival.source}, {"where", rival.where}, {"value", rival.value}});
    list.push_back({{"group", row.group},
                    {"name", row.name},
                    {"value", row.value},
                    {"source", row.source},
                    {"where", row.where},
                    {"overrode", std::move(beat)}});
  }
  return list;
}

}  // namespace sunup::fleet
