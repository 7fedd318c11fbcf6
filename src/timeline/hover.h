// The tooltip of a row of the chart or a part of the chain: a title and lines of "name: text".
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "timeline/formats.h"

namespace sunup::timeline {

struct Hover {
  std::string title = {};
  std::string subtitle = {};
  std::vector<std::pair<std::string, std::string>> lines = {};
};

// Links of the chain that are drawn as one, from `first` to `last`.
struct ChainPart {
  size_t first = 0;
  size_t last = 0;
};

Hover hover_of(const Timeline& timeline, const Row& row);
Hover hover_of(const Timeline& timeline, const ChainPart& part);

}  // namespace sunup::timeline
