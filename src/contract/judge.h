// The context of the check's rules: the config, and functions that report findings.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contract/check.h"

namespace sunup::contract {

class Judge {
 public:
  Judge(const Configuration& judged, const Places& places, const CheckOptions& options)
      : config(judged), now(options.now), deadline_(options.deadline), places_(places) {}

  const Configuration& config;
  const std::time_t now;
  // For loops over what the config has many of.
  bool out_of_time() const { return deadline_.passed(); }

  // The node will not become Ready.
  void error(std::string path, std::string message, std::string hint = "") {
    add(Severity::kError, std::move(path), std::move(message), std::move(hint));
  }
  // The node will become Ready, but probably differs from what was intended.
  void warning(std::string path, std::string message, std::string hint = "") {
    add(Severity::kWarning, std::move(path), std::move(message), std::move(hint));
  }
  // Additional information.
  void note(std::string path, std::string message, std::string hint = "") {
    add(Severity::kNote, std::move(path), std::move(message), std::move(hint));
  }

 private:
  friend std::vector<Finding> check(const Configuration&, const Places&, const CheckOptions&);
  // The number of reported and suppressed findings of a rule in one place.
  struct Spoken {
    size_t told = 0;
    size_t more = 0;
    size_t summary = 0;  // the finding that counts the suppressed ones
  };
  void add(Severity severity, std::string path, std::string message, std::string hint);
  void begin(std::string_view rule) { rule_ = rule; }
  void end();

  const Deadline deadline_;
  const Places& places_;
  std::string_view rule_;
  std::vector<Finding> findings_;
  // For the current rule, by severity and place; an empty place means everywhere.
  std::map<std::pair<Severity, std::string>, Spoken> spoken_;
};

struct Rule {
  std::string_view id;
  std::string_view about;
  void (*judge)(Judge&);
};

std::span<const Rule> identity_rules();
std::span<const Rule> certificate_rules();
std::span<const Rule> kubelet_rules();
std::span<const Rule> kubelet_file_rules();
std::span<const Rule> kubelet_whole_rules();
std::span<const Rule> network_rules();
std::span<const Rule> local_dns_rules();
std::span<const Rule> system_rules();
std::span<const Rule> text_rules();

// Sorts the entries, because a map field has no order.
template <class Map>
std::map<std::string, typename Map::mapped_type> sorted(const Map& map) {
  return {map.begin(), map.end()};
}

// "$.a.b[\"key\"]", "$.a.b[3]"
std::string path_of_key(std::string_view path, std::string_view key);
std::string path_of_item(std::string_view path, size_t index);

}  // namespace sunup::contract
