#include "contract/check.h"

#include "contract/judge.h"
#include "contract/path.h"

namespace sunup::contract {
namespace {

using RuleGroup = std::span<const Rule> (*)();
constexpr RuleGroup kGroups[] = {identity_rules,     certificate_rules,   kubelet_rules,
                                 kubelet_file_rules, kubelet_whole_rules, network_rules,
                                 local_dns_rules,    system_rules,        text_rules};

}  // namespace

std::vector<Finding> check(const Configuration& config, const Places& places, const CheckOptions& options) {
  Judge judge(config, places, options);
  for (const RuleGroup group : kGroups) {
    for (const Rule& rule : group()) {
      judge.rule_ = rule.id;
      rule.judge(judge);
    }
  }
  sort_by_place(judge.findings_);
  return std::move(judge.findings_);
}

std::vector<RuleSummary> check_rules() {
  std::vector<RuleSummary> all;
  for (const RuleGroup group : kGroups)
    for (const Rule& rule : group()) all.push_back({rule.id, rule.about});
  return all;
}

void Judge::add(Severity severity, std::string path, std::string message, std::string hint) {
  const Position at = place_of(places_, path);
  findings_.push_back({severity, std::string(rule_), std::move(path), at, std::move(message), std::move(hint)});
}

Position place_of(const Places& places, std::string_view path) {
  if (places.empty()) return {};
  while (true) {
    if (const auto it = places.find(path); it != places.end()) return it->second;
    const size_t end = path.find_last_of(".[");
    if (end == std::string_view::npos) return {1, 1};
    path = path.substr(0, end);
  }
}

std::string path_of_key(std::string_view path, std::string_view key) {
  std::string out(path);
  append_key(key, out);
  return out;
}

std::string path_of_item(std::string_view path, size_t index) {
  std::string out(path);
  append_index(index, out);
  return out;
}

}  // namespace sunup::contract
