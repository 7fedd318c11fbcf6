// What the rules of the check share: the config, and where to say what is wrong with it.
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
      : config(judged), now(options.now), places_(places) {}

  const Configuration& config;
  const std::time_t now;

  // The node will not come up like this.
  void error(std::string path, std::string message, std::string hint = "") {
    add(Severity::kError, std::move(path), std::move(message), std::move(hint));
  }
  // The node will come up, but hardly as it was meant.
  void warning(std::string path, std::string message, std::string hint = "") {
    add(Severity::kWarning, std::move(path), std::move(message), std::move(hint));
  }
  // Worth knowing.
  void note(std::string path, std::string message, std::string hint = "") {
    add(Severity::kNote, std::move(path), std::move(message), std::move(hint));
  }

 private:
  friend std::vector<Finding> check(const Configuration&, const Places&, const CheckOptions&);
  // How often a rule has spoken of something, and how often it was not let.
  struct Spoken {
    size_t told = 0;
    size_t more = 0;
    size_t summary = 0;  // the finding that stands for the untold
  };
  void add(Severity severity, std::string path, std::string message, std::string hint);
  void begin(std::string_view rule) { rule_ = rule; }
  void end();

  const Places& places_;
  std::string_view rule_;
  std::vector<Finding> findings_;
  // Of the rule that is being judged, by severity and place; without a place: everywhere.
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

// A map field has no order of its own; findings should have one.
template <class Map>
std::map<std::string, typename Map::mapped_type> sorted(const Map& map) {
  return {map.begin(), map.end()};
}

// "$.a.b[\"key\"]", "$.a.b[3]"
std::string path_of_key(std::string_view path, std::string_view key);
std::string path_of_item(std::string_view path, size_t index);

}  // namespace sunup::contract
