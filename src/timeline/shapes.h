// The geometry of the chart: a shape for each row, and the staircase of the critical chain between rows. gantt.cc draws
// them; a page with thousands of rows contains them as data, and its script draws the visible ones (page.h).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "timeline/formats.h"

namespace sunup::timeline {

inline constexpr int kPictureWidth = 1280;
inline constexpr double kGutter = 300;  // for names
inline constexpr double kRowHeight = 22;
inline constexpr double kAxis = 34;

// Moments to pixels.
struct Scale {
  Nanos first = 0;
  Nanos last = 0;
  double left = 0;
  double width = 0;
  double x(Nanos at) const {
    if (last <= first) return left;
    return left + width * static_cast<double>(at - first) / static_cast<double>(last - first);
  }
};

// At most so many letters; ends with "…" if the text is shortened.
std::string shortened(std::string_view text, size_t letters);

struct RowShape {
  std::string classes = {};
  std::string name = {};
  std::string time = {};
  bool milestone = false;  // a mark at x1 instead of a bar
  double x1 = 0;
  double x2 = 0;
};

// Down or up from one row to another, then along to x2.
struct ChainShape {
  double x1 = 0;
  size_t from = 0;
  double x2 = 0;
  size_t to = 0;
};

struct Shapes {
  Scale scale = {};
  std::vector<RowShape> rows = {};
  std::vector<ChainShape> chain = {};
  double height = 0;
};
Shapes shapes_of(const Timeline& timeline, const std::vector<Row>& all);

// Links of the chain that are drawn as one, from `first` to `last`.
struct ChainPart {
  size_t first = 0;
  size_t last = 0;
};

// The chain as one bar: adjacent links that are too narrow to be visible are merged.
struct Strip {
  Scale scale = {};
  std::vector<ChainPart> parts = {};
};
Strip strip_of(const Timeline& timeline);

// The tooltip of a row of the chart or a part of the chain: a title and lines of "name: text".
struct Hover {
  std::string title = {};
  std::string subtitle = {};
  std::vector<std::pair<std::string, std::string>> lines = {};
};

Hover hover_of(const Timeline& timeline, const Row& row);
Hover hover_of(const Timeline& timeline, const ChainPart& part);

}  // namespace sunup::timeline
