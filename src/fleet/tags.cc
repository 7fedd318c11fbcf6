#include "fleet/tags.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fleet/fnv.h"

namespace sunup::fleet {
namespace {

std::string tag_key(std::string key) {
  std::replace(key.begin(), key.end(), '/', '_');
  return key;
}

// JSON as Go writes it: <, > and & are escaped, so that the text can stand in HTML.
void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
      case '\\':
        out.append(1, '\\').append(1, c);
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == '>' || c == '&')
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
          out += c;
    }
  }
  out += '"';
}

}  // namespace

ValueMap node_tags(const Settings& settings, const NodeClass& node_class, const std::string& pool) {
  ValueMap tags;
  const Origin additional = settings.at(Option::kAdditionalTags).origin();
  for (const auto& [key, value] : settings.map(Option::kAdditionalTags))
    tags.offer(tag_key(key), additional.source, additional.where, value);
  for (const auto& [key, value] : node_class.tags) tags.offer(tag_key(key), Source::kNodeClass, "spec.tags", value);
  // These identify the VM, so nobody sets them as tags.
  const Origin cluster = settings.at(Option::kClusterName).origin();
  tags.fix("karpenter.azure.com_cluster", cluster.source, cluster.where, settings.text(Option::kClusterName));
  tags.fix("compute.aks.billing", Source::kHardcoded, "every node's VM has it", "linux");
  if (!pool.empty()) tags.fix("karpenter.sh_nodepool", Source::kNodePool, "metadata.name", pool);
  return tags;
}

std::string in_place_update_hash(const std::map<std::string, std::string>& tags,
                                 const std::vector<std::string>& identities) {
  std::string text = "{";
  if (!identities.empty()) {
    text += R"("identities":{)";
    bool first = true;
    for (const std::string& identity : std::set<std::string>(identities.begin(), identities.end())) {
      if (!std::exchange(first, false)) text += ',';
      append_json_string(text, identity);
      text += ":{}";
    }
    text += '}';
  }
  if (!tags.empty()) {
    if (text.size() > 1) text += ',';
    text += R"("tags":{)";
    bool first = true;
    for (const auto& [key, value] : tags) {
      if (!std::exchange(first, false)) text += ',';
      append_json_string(text, key);
      text += ':';
      append_json_string(text, value);
    }
    text += '}';
  }
  text += '}';
  return std::to_string(fnv1a_32(text));
}

}  // namespace sunup::fleet
