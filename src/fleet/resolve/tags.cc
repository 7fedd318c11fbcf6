#include "fleet/resolve/tags.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "fleet/sources/crd_rules.h"
#include "fleet/sources/patterns.h"

namespace sunup::fleet {
namespace {

std::string tag_key(std::string key) {
  std::replace(key.begin(), key.end(), '/', '_');
  return key;
}

// Azure compares the names of tags case-insensitively: it would refuse two spellings of one name, or silently merge
// them.
class Merge {
 public:
  explicit Merge(Findings& findings) : findings_(findings) {}

  void offer(const std::string& key, Origin origin, const std::string& value) {
    const std::string name = tag_key(key);
    const auto [known, is_new] = spelling_.emplace(lowered(name), Spelling{name, key});
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

  // For a tag that users cannot set: it has this spelling and this value.
  void fix(std::string_view name, Origin origin, std::string value) {
    if (const auto known = spelling_.find(lowered(name)); known != spelling_.end()) {
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
    std::string name;     // the name on the VM
    std::string written;  // the name as the user wrote it
  };
  Findings& findings_;
  ValueMap tags_;
  std::map<std::string, Spelling> spelling_;  // by the name in lower case
};

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
  // These identify the VM, so users cannot set them.
  constexpr std::string_view kCluster = "karpenter.azure.com_cluster";
  const Value<std::string>& cluster = settings.at(Option::kClusterName);
  tags.fix(kCluster, cluster.origin(), *cluster);
  tags.fix("compute.aks.billing", {Source::kHardcoded, "every node's VM has it"}, "linux");
  if (!pool.empty()) tags.fix("karpenter.sh_nodepool", {Source::kNodePool, "metadata.name"}, pool);
  ValueMap merged = std::move(tags).take();
  remember_history(merged.at(kCluster), cluster);
  return merged;
}

}  // namespace sunup::fleet
