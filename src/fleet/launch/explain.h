// The origin of each value of a node: which source set it, and what it overrode.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fleet/resolve/resolution.h"

namespace sunup::fleet {

struct Explanation {
  struct Rival {
    std::string source;
    std::string where;
    std::string value;
  };
  std::string group;  // launch template, tag, kubelet flag, label, variable, setting
  std::string name;
  std::string value;  // never a credential
  std::string source;
  std::string where;
  std::vector<Rival> beat;  // in the order of the offers
};

// Everything that was decided for the node, in a fixed order.
std::vector<Explanation> explain(const Resolution& node);

// A table; long values are cut to `value_width` characters, 0 means no limit.
std::string explain_text(const std::vector<Explanation>& rows, size_t value_width = 60);
nlohmann::ordered_json explain_json(const std::vector<Explanation>& rows);

}  // namespace sunup::fleet
