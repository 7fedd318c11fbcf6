#include "fleet/tags.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fleet/fnv.h"
#include "fleet/history.h"
#include "fleet/node_findings.h"
#include "fleet/patterns.h"

namespace sunup::fleet {
namespace {

std::string tag_key(std::string key) {
  std::replace(key.begin(), key.end(), '/', '_');
  return key;
}

// Azure takes the names of tags for the same whatever their letter case, and so must we: two spellings of one name
// would be refused, or silently become one.
class Merge {
 public:
  explicit Merge(Findings& findings) : findings_(findings) {}

  void offer(const std::string& key, Origin origin, const std::string& value) {
    const std::string name = tag_key(key);
    const auto [known, is_new] = spelling_.emplace(to_lower(name), Spelling{name, key});
    if (!is_new && known->second.written != key) {
      warn(findings_, fmt::format("tag {}", name), "collision",
           fmt::format("'{}' and '{}' are the same name in Azure; {} sets it last", known->second.written, key,
                       in_words(origin)),
           "use one spelling");
      if (known->second.name != name) {
        tags_.at(name) = tags_.at(known->second.name);
        tags_.erase(known->second.name);
      }
      known->second = {name, key};
    }
    tags_.offer(name, origin.source, origin.where, value);
  }

  // Not the user's to set: it has this spelling and this value.
  void fix(std::string_view name, Origin origin, std::string value) {
    if (const auto known = spelling_.find(to_lower(name)); known != spelling_.end()) {
      const std::string written = known->second.name;
      warn(findings_, fmt::format("tag {}", written), "no-effect",
           fmt::format("is set by {}, but this tag is not the user's to set; it stays '{}'",
                       source_name(tags_.at(written).origin().source), value));
      if (written != name) {
        tags_.at(name) = tags_.at(written);
        tags_.erase(written);
      }
    }
    tags_.fix(name, origin.source, origin.where, std::move(value));
  }

  ValueMap take() && { return std::move(tags_); }

 private:
  struct Spelling {
    std::string name;     // as the VM has it
    std::string written;  // as the user has it
  };
  Findings& findings_;
  ValueMap tags_;
  std::map<std::string, Spelling> spelling_;  // by the name in lower case
};

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

ValueMap node_tags(const Settings& settings, const NodeClass& node_class, const std::string& pool, Findings& findings) {
  Merge tags(findings);
  const Value<std::string>& additional = settings.at(Option::kAdditionalTags);
  const auto given = settings.map(Option::kAdditionalTags);
  for (const auto& rival : additional.beaten())
    if (const auto pairs = parse_pairs(rival.value))
      for (const auto& [key, value] : *pairs)
        if (given.contains(key)) tags.offer(key, rival.origin, value);
  for (const auto& [key, value] : given) tags.offer(key, additional.origin(), value);
  for (const auto& [key, value] : node_class.tags) tags.offer(key, {Source::kNodeClass, "spec.tags"}, value);
  // These identify the VM, so nobody sets them as tags.
  constexpr std::string_view kCluster = "karpenter.azure.com_cluster";
  const Value<std::string>& cluster = settings.at(Option::kClusterName);
  tags.fix(kCluster, cluster.origin(), *cluster);
  tags.fix("compute.aks.billing", {Source::kHardcoded, "every node's VM has it"}, "linux");
  if (!pool.empty()) tags.fix("karpenter.sh_nodepool", {Source::kNodePool, "metadata.name"}, pool);
  ValueMap merged = std::move(tags).take();
  remember_history(merged.at(kCluster), cluster);
  return merged;
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
