#include "timeline/gantt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace sunup::timeline {
namespace {

constexpr double kGutter = 300;  // for names
constexpr double kRight = 96;    // for the last bar's duration
constexpr double kRowHeight = 22;
constexpr double kAxis = 34;
constexpr size_t kLongestName = 42;
constexpr size_t kManyLinks = 500;

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

Scale scale_of(const Timeline& timeline, double left, double width) {
  Scale scale{.first = timeline.zero, .last = timeline.zero, .left = left, .width = width};
  for (const Point& point : timeline.points) {
    scale.first = std::min(scale.first, point.at);
    scale.last = std::max(scale.last, point.at);
  }
  return scale;
}

// 1, 2 or 5 times a power of ten, so that about ten lines fit.
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

std::string shortened(const std::string& name) {
  if (name.size() <= kLongestName) return name;
  return name.substr(0, kLongestName - 1) + "…";
}

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : separator) + part;
  return text;
}

void draw_row(std::string& out, const Timeline& timeline, const Row& row, const Scale& scale, double y) {
  const auto to = std::back_inserter(out);
  const double middle = y + kRowHeight / 2;
  fmt::format_to(to, R"(<rect class="hit" x="0" y="{:.0f}" width="{}" height="{}"/>)", y, kPictureWidth, kRowHeight);
  if (row.milestone != nullptr) {
    const double x = scale.x(row.milestone->at);
    fmt::format_to(to, R"(<text class="name" x="{}" y="{:.1f}">)", kGutter - 12, middle + 4);
    append_escaped(out, shortened(row.milestone->label));
    fmt::format_to(to, R"(</text><path class="mark" d="M{:.1f} {:.1f}l5 5l-5 5l-5 -5z"/>)", x, middle - 5);
    fmt::format_to(to, R"(<text class="time" x="{:.1f}" y="{:.1f}">{}</text>)", x + 9, middle + 4,
                   signed_seconds(timeline.seconds(row.milestone->at)));
    return;
  }
  const Span& span = *row.span;
  const double x1 = scale.x(timeline.start_of(span));
  const double x2 = std::max(scale.x(timeline.end_of(span)), x1 + 2);
  fmt::format_to(to, R"(<text class="name" x="{}" y="{:.1f}">)", kGutter - 12, middle + 4);
  append_escaped(out, shortened(span.name));
  fmt::format_to(to, R"(</text><rect class="bar" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="12" rx="3"/>)", x1,
                 middle - 6, x2 - x1);
  const double took = static_cast<double>(timeline.end_of(span) - timeline.start_of(span)) / 1e9;
  fmt::format_to(to, R"(<text class="time" x="{:.1f}" y="{:.1f}">{}</text>)", x2 + 6, middle + 4, short_duration(took));
}

std::string classes(const Row& row) {
  if (row.milestone != nullptr) return row.milestone->critical ? "row milestone critical" : "row milestone";
  std::string all = fmt::format("row span {} {}", to_string(row.span->kind), to_string(row.span->state));
  if (row.span->critical) all += " critical";
  if (row.span->deferred) all += " deferred";
  return all;
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
  for (const char c : text) {
    switch (c) {
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
        // XML has no way to write most control characters.
        out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
    }
  }
}

Hover hover_of(const Timeline& timeline, const Row& row) {
  Hover hover;
  if (row.milestone != nullptr) {
    const Point& point = *row.milestone;
    hover.title = point.label;
    hover.subtitle = signed_seconds(timeline.seconds(point.at));
    hover.lines.emplace_back("known from", point.source + (point.approximate ? " (approximate)" : ""));
    for (const Link& link : timeline.chain)
      if (&timeline.points[link.to] == &point) hover.lines.emplace_back("waited for", link.waited_for);
    return hover;
  }
  const Span& span = *row.span;
  const double took = static_cast<double>(timeline.end_of(span) - timeline.start_of(span)) / 1e9;
  hover.title = span.name;
  hover.subtitle = fmt::format("{} · {} · {} to {}", to_string(span.state), short_duration(took),
                               signed_seconds(timeline.seconds(timeline.start_of(span))),
                               signed_seconds(timeline.seconds(timeline.end_of(span))));
  const auto add = [&hover](const char* name, const std::string& text) {
    if (!text.empty()) hover.lines.emplace_back(name, text);
  };
  add("does", span.purpose);
  add("ran because", span.why);
  add(span.kind == SpanKind::kStep ? "needs" : "ordered after", joined(span.needs, ", "));
  add("provides", joined(span.provides, ", "));
  add("retries", joined(span.retries, "\n"));
  add("notes", joined(span.notes, "\n"));
  add("error", span.error);
  if (span.critical) add("critical", "the chain to the goal runs through it");
  if (span.deferred) add("deferred", "nobody waits for it");
  return hover;
}

Hover hover_of(const Timeline& timeline, const Link& link) {
  const Point& from = timeline.points[link.from];
  const Point& to = timeline.points[link.to];
  Hover hover;
  hover.title = short_duration(static_cast<double>(to.at - from.at) / 1e9);
  hover.subtitle = fmt::format("{} → {}", from.label, to.label);
  hover.lines.emplace_back("waited for", link.waited_for);
  return hover;
}

Chart gantt(const Timeline& timeline, const std::vector<Row>& all, Hovering hovering) {
  Chart chart;
  const Scale scale = scale_of(timeline, kGutter, kPictureWidth - kGutter - kRight);
  const double height = kAxis + kRowHeight * static_cast<double>(all.size()) + 6;
  chart.height = static_cast<int>(height);
  chart.body.reserve(all.size() * 600);
  axis(chart.body, timeline, scale, height);
  const size_t beneath = chart.body.size();  // the chain goes under the rows

  std::vector<double> y_of(timeline.points.size(), -1);
  for (size_t i = 0; i < all.size(); ++i) {
    const Row& row = all[i];
    const double y = kAxis + kRowHeight * static_cast<double>(i);
    const double middle = y + kRowHeight / 2;
    if (row.milestone != nullptr) {
      y_of[static_cast<size_t>(row.milestone - timeline.points.data())] = middle;
    } else {
      for (const size_t end : {row.span->start, row.span->end})
        if (!timeline.points[end].milestone) y_of[end] = middle;
    }
    fmt::format_to(std::back_inserter(chart.body), R"(<g class="{}" data-i="{}">)", classes(row), i);
    draw_row(chart.body, timeline, row, scale, y);
    if (hovering == Hovering::kBuiltIn) append_hover(chart.body, hover_of(timeline, row));
    chart.body += "</g>\n";
  }
  std::string path;
  for (const Link& link : timeline.chain) {
    if (y_of[link.from] < 0 || y_of[link.to] < 0) continue;
    fmt::format_to(std::back_inserter(path), "M{:.1f} {:.1f}V{:.1f}H{:.1f}", scale.x(timeline.points[link.from].at),
                   y_of[link.from], y_of[link.to], scale.x(timeline.points[link.to].at));
  }
  if (!path.empty()) chart.body.insert(beneath, fmt::format(R"(<path class="chain" d="{}"/>)", path) + "\n");
  return chart;
}

Chart chain_strip(const Timeline& timeline, Hovering hovering) {
  Chart chart;
  if (timeline.chain.empty()) return chart;
  chart.height = 40;
  Scale scale{.first = timeline.points[timeline.chain.front().from].at,
              .last = timeline.points[timeline.chain.back().to].at,
              .left = 1,
              .width = kPictureWidth - 2.0};
  const auto out = std::back_inserter(chart.body);
  for (size_t i = 0; i < timeline.chain.size(); ++i) {
    const Link& link = timeline.chain[i];
    const double x1 = scale.x(timeline.points[link.from].at);
    const double exact = scale.x(timeline.points[link.to].at) - x1;
    if (timeline.chain.size() > kManyLinks && exact < 0.5) continue;  // nobody could see or hover over it
    const double width = std::max(exact, 0.5);
    fmt::format_to(
        out, R"(<g class="link" data-l="{}"><rect class="part" x="{:.1f}" y="4" width="{:.1f}" height="32" rx="4"{}/>)",
        i, x1, width, i % 2 == 1 ? R"( fill-opacity=".72")" : "");
    const Point& to = timeline.points[link.to];
    const auto letters = static_cast<size_t>(std::max(0.0, (width - 12) / 6.6));
    if (letters >= 4) {
      fmt::format_to(out, R"(<text class="inside" x="{:.1f}" y="24">)", x1 + 6);
      append_escaped(chart.body, to.label.size() <= letters ? to.label : to.label.substr(0, letters - 1) + "…");
      chart.body += "</text>";
    }
    if (hovering == Hovering::kBuiltIn) append_hover(chart.body, hover_of(timeline, link));
    chart.body += "</g>\n";
  }
  return chart;
}

std::string as_svg(const Timeline& timeline) {
  const Chart strip = chain_strip(timeline, Hovering::kBuiltIn);
  const Chart chart = gantt(timeline, rows(timeline), Hovering::kBuiltIn);
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
