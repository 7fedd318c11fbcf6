// The chart: one row for each milestone and span in order of start, bars to scale, and the critical chain as a
// staircase through them. Used alone (SVG) and inside the page (HTML).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "timeline/formats.h"
#include "timeline/shapes.h"

namespace sunup::timeline {

enum class Hovering { kBuiltIn, kByPage };  // <title> elements, or data-i for a script

// The chart without <svg> around it, and its height.
struct Chart {
  std::string body;
  int height = 0;
};
Chart gantt(const Timeline& timeline, const std::vector<Row>& all, const Shapes& shapes, Hovering hovering);
// Only the parts that do not depend on the number of rows, for a script that draws the visible rows.
Chart gantt_frame(const Timeline& timeline, const Shapes& shapes);
// The chain as one bar, each part as wide as its wait.
Chart chain_strip(const Timeline& timeline, const Strip& strip, Hovering hovering);

// Colours of both, light and dark, as CSS variables.
extern const std::string_view kPictureColours;
extern const std::string_view kPictureStyle;

void append_escaped(std::string& out, std::string_view text);  // for HTML and XML, also inside quotes

}  // namespace sunup::timeline
