#include "contract/check.h"

#include "contract/judge.h"
#include "contract/path.h"

namespace sunup::contract {
namespace {

using RuleGroup = std::span<const Rule> (*)();
constexpr RuleGroup kGroups[] = {identity_rules,     certificate_rules,   kubelet_rules,
                                 kubelet_file_rules, kubelet_whole_rules, network_rules,
                                 local_dns_rules,    system_rules,        text_rules};

// Further findings of the same kind add no information, and a config of 16 MiB can contain hundreds of thousands of
// mistakes.
constexpr size_t kMostOfAPlace = 20;
constexpr size_t kMostOfARule = 200;

// The path of the list for an item ("$.a.b" for "$.a.b[3]"); any other path is returned as it is.
std::string list_around(const std::string& path) {
  const size_t open = path.rfind('[');
  const bool item =
      open != path.npos && path.ends_with(']') && path.find_first_not_of("0123456789", open + 1) == path.size() - 1;
  return item ? path.substr(0, open) : path;
}

}  // namespace

std::vector<Finding> check(const Configuration& config, const Places& places, const CheckOptions& options) {
  Judge judge(config, places, options);
  for (const RuleGroup group : kGroups) {
    for (const Rule& rule : group()) {
      if (judge.out_of_time()) break;
      judge.begin(rule.id);
      rule.judge(judge);
      judge.end();
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
  Spoken& everywhere = spoken_[{severity, ""}];
  Spoken* full = &everywhere;
  if (everywhere.told < kMostOfARule) {
    Spoken& here = spoken_[{severity, list_around(path)}];
    full = here.told < kMostOfAPlace ? nullptr : &here;
    if (full == nullptr) ++here.told;
  }
  if (full != nullptr && full->more++ > 0) return;
  if (full == nullptr)
    ++everywhere.told;
  else
    full->summary = findings_.size();  // the summary replaces the first suppressed finding, after the reported ones
  const Position at = place_of(places_, path);
  findings_.push_back({severity, std::string(rule_), std::move(path), at, std::move(message), std::move(hint)});
}

void Judge::end() {
  for (const auto& [of, spoken] : spoken_) {
    if (spoken.more < 2) continue;  // a single finding takes no more space than a summary
    findings_[spoken.summary].message = std::to_string(spoken.more) + " more like this";
    findings_[spoken.summary].hint.clear();
  }
  spoken_.clear();
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
