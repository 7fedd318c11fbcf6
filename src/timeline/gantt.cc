#include "timeline/gantt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/utf8.h"

namespace sunup::timeline {
namespace {

// 1, 2 or 5 times a power of ten, so that there are about ten lines.
double tick_of(double seconds) {
  const double rough = std::max(seconds / 10, 1e-6);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough) return factor * power;
  return 10 * power;
}

void axis(std::string& out, const Timeline& timeline, const Scale& scale, double height) {
  const double from = timeline.seconds(scale.first);
  const double to = timeline.seconds(scale.last);
  const double tick = tick_of(to - from);
  const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(tick))), 0, 6);
  for (auto n = static_cast<int64_t>(std::ceil(from / tick)); static_cast<double>(n) * tick <= to; ++n) {
    const double seconds = static_cast<double>(n) * tick;
    const double x = scale.x(timeline.zero + static_cast<Nanos>(seconds * 1e9));
    fmt::format_to(
        std::back_inserter(out),
        R"(<line class="{}" x1="{:.1f}" y1="{}" x2="{:.1f}" y2="{:.0f}"/><text class="tick" x="{:.1f}" y="18">{:+.{}f}s</text>)"
        "\n",
        n == 0 ? "zero" : "grid", x, kAxis - 10, x, height, x, n == 0 ? 0.0 : seconds, digits);
  }
}

void append_hover(std::string& out, const Hover& hover) {
  out += "<title>";
  append_escaped(out, hover.title + " " + hover.subtitle);
  for (const auto& [name, text] : hover.lines) append_escaped(out, "\n" + name + ": " + text);
  out += "</title>";
}

void draw_row(std::string& out, const RowShape& row, double y) {
  const auto to = std::back_inserter(out);
  const double middle = y + kRowHeight / 2;
  fmt::format_to(to, R"(<rect class="hit" x="0" y="{:.0f}" width="{}" height="{}"/>)", y, kPictureWidth, kRowHeight);
  fmt::format_to(to, R"(<text class="name" x="{}" y="{:.1f}">)", kGutter - 12, middle + 4);
  append_escaped(out, row.name);
  if (row.milestone)
    fmt::format_to(to, R"(</text><path class="mark" d="M{:.1f} {:.1f}l5 5l-5 5l-5 -5z"/>)", row.x1, middle - 5);
  else
    fmt::format_to(to, R"(</text><rect class="bar" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="12" rx="3"/>)", row.x1,
                   middle - 6, row.x2 - row.x1);
  fmt::format_to(to, R"(<text class="time" x="{:.1f}" y="{:.1f}">{}</text>)", row.x2 + (row.milestone ? 9 : 6),
                 middle + 4, row.time);
}

}  // namespace

const std::string_view kPictureColours = R"(
:root{--bg:#fcfbf8;--panel:#ffffff;--fg:#20242c;--muted:#6b7280;--grid:#e6e3dc;--hover:#f1eee6;--chain:#e8590c;
--step:#4263eb;--unit:#0ca678;--stage:#868e96;--script:#7048e8;--failed:#e03131;--badge:#2b8a3e}
@media (prefers-color-scheme:dark){:root{--bg:#14161a;--panel:#1b1e24;--fg:#e7e5df;--muted:#9aa1ad;--grid:#2b2f37;
--hover:#242830;--chain:#ff922b;--step:#748ffc;--unit:#38d9a9;--stage:#909aa6;--script:#9775fa;--failed:#ff6b6b;
--badge:#51cf66}}
)";

const std::string_view kPictureStyle = R"(
svg{font:12px/1.4 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
svg text{fill:var(--fg)}
.hit{fill:transparent}.row:hover .hit,.row.pinned .hit{fill:var(--hover);fill-opacity:.75}
.time{paint-order:stroke;stroke:var(--bg);stroke-width:3px;stroke-linejoin:round}.panel .time{stroke:var(--panel)}
.name{text-anchor:end}.time,.tick{fill:var(--muted);font-size:11px;font-variant-numeric:tabular-nums}
.tick{text-anchor:middle}.grid{stroke:var(--grid)}.zero{stroke:var(--muted);stroke-dasharray:3 3}
.bar{fill-opacity:.55}.critical .bar{fill-opacity:1;stroke:var(--chain);stroke-width:2}.critical .name{font-weight:600}
.step .bar{fill:var(--step)}.unit .bar{fill:var(--unit)}.stage .bar{fill:var(--stage)}.script .bar{fill:var(--script)}
.failed .bar{fill:var(--failed);fill-opacity:1}.cancelled .bar,.deferred .bar{fill-opacity:.35}.skipped .bar{fill-opacity:.2}
.mark{fill:var(--muted)}.critical .mark{fill:var(--chain)}
.chain{fill:none;stroke:var(--chain);stroke-width:1.75;stroke-linejoin:round;opacity:.85;pointer-events:none}
.part{stroke:var(--bg);stroke-width:1.5;fill:var(--chain)}.part:nth-of-type(even){fill-opacity:.72}.link:hover .part{fill-opacity:.45}
.inside{fill:#fff;font-size:11px;pointer-events:none}
)";

void append_escaped(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const Rune rune = first_rune(text);
    switch (rune.code) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        // XML cannot represent most control characters and two others; with them the page would not be well-formed.
        if (rune.code < 0x20 && rune.code != '\n' && rune.code != '\t')
          out += ' ';
        else if (!rune.valid() || rune.code == 0xFFFE || rune.code == 0xFFFF)
          append_utf8(out, 0xFFFD);
        else
          out += text.substr(0, rune.size);
    }
    text.remove_prefix(rune.size);
  }
}

Chart gantt_frame(const Timeline& timeline, const Shapes& shapes) {
  Chart chart{.body = {}, .height = static_cast<int>(shapes.height)};
  axis(chart.body, timeline, shapes.scale, shapes.height);
  return chart;
}

Chart gantt(const Timeline& timeline, const std::vector<Row>& all, const Shapes& shapes, Hovering hovering) {
  Chart chart = gantt_frame(timeline, shapes);
  chart.body.reserve(all.size() * 600);
  const auto out = std::back_inserter(chart.body);
  const auto middle = [](size_t row) { return kAxis + kRowHeight * static_cast<double>(row) + kRowHeight / 2; };
  if (!shapes.chain.empty()) {  // under the rows
    chart.body += R"(<path class="chain" d=")";
    for (const ChainShape& link : shapes.chain)
      fmt::format_to(out, "M{:.1f} {:.1f}V{:.1f}H{:.1f}", link.x1, middle(link.from), middle(link.to), link.x2);
    chart.body += "\"/>\n";
  }
  for (size_t i = 0; i < all.size(); ++i) {
    fmt::format_to(out, R"(<g class="{}" data-i="{}">)", shapes.rows[i].classes, i);
    draw_row(chart.body, shapes.rows[i], kAxis + kRowHeight * static_cast<double>(i));
    if (hovering == Hovering::kBuiltIn) append_hover(chart.body, hover_of(timeline, all[i]));
    chart.body += "</g>\n";
  }
  return chart;
}

Chart chain_strip(const Timeline& timeline, const Strip& strip, Hovering hovering) {
  Chart chart;
  if (strip.parts.empty()) return chart;
  chart.height = 40;
  const auto out = std::back_inserter(chart.body);
  for (size_t i = 0; i < strip.parts.size(); ++i) {
    const ChainPart& part = strip.parts[i];
    const Point& to = timeline.points[timeline.chain[part.last].to];
    const double x1 = strip.scale.x(timeline.points[timeline.chain[part.first].from].at);
    const double width = std::max(strip.scale.x(to.at) - x1, 0.5);
    fmt::format_to(
        out, R"(<g class="link" data-l="{}"><rect class="part" x="{:.1f}" y="4" width="{:.1f}" height="32" rx="4"{}/>)",
        i, x1, width, i % 2 == 1 ? R"( fill-opacity=".72")" : "");
    const auto letters = static_cast<size_t>(std::max(0.0, (width - 12) / 6.6));
    if (letters >= 4) {
      fmt::format_to(out, R"(<text class="inside" x="{:.1f}" y="24">)", x1 + 6);
      append_escaped(chart.body, shortened(to.label, letters));
      chart.body += "</text>";
    }
    if (hovering == Hovering::kBuiltIn) append_hover(chart.body, hover_of(timeline, part));
    chart.body += "</g>\n";
  }
  return chart;
}

std::string as_svg(const Timeline& timeline) {
  const std::vector<Row> all = rows(timeline);
  const Chart strip = chain_strip(timeline, strip_of(timeline), Hovering::kBuiltIn);
  const Chart chart = gantt(timeline, all, shapes_of(timeline, all), Hovering::kBuiltIn);
  const int height = strip.height + chart.height + 16;
  std::string out = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" aria-label="timeline of a node's provision"><style>)",
      kPictureWidth, height);
  out += kPictureColours;
  out += kPictureStyle;
  out += fmt::format("</style><rect width=\"{}\" height=\"{}\" fill=\"var(--bg)\"/>", kPictureWidth, height);
  out += "\n<g class=\"strip\">\n" + strip.body + "</g>\n";
  out += fmt::format("<g transform=\"translate(0 {})\">\n", strip.height + 8) + chart.body + "</g>\n</svg>\n";
  return out;
}

}  // namespace sunup::timeline
