#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>

#include "timeline/formats.h"
#include "timeline/gantt.h"
#include "timeline/page.h"
#include "timeline/shapes.h"

namespace sunup::timeline {
namespace {

using nlohmann::ordered_json;

// A browser takes seconds to lay out ten thousand rows, of which a screen shows sixty. Above this number the page's
// script creates only the visible rows.
constexpr size_t kManyRows = 400;

std::string escaped(std::string_view text) {
  std::string out;
  append_escaped(out, text);
  return out;
}

ordered_json packed(const Hover& hover) {
  ordered_json lines = ordered_json::array();
  for (const auto& [name, text] : hover.lines) lines.push_back({name, text});
  return {hover.title, hover.subtitle, std::move(lines)};
}

// For the page's script, which draws rows as draw_row() in gantt.cc does. A tenth of a pixel is precise enough.
ordered_json packed(const Shapes& shapes) {
  const auto tenths = [](double pixels) { return std::round(pixels * 10) / 10; };
  ordered_json rows = ordered_json::array();
  for (const RowShape& row : shapes.rows)
    rows.push_back({row.classes, row.name, row.time, row.milestone, tenths(row.x1), tenths(row.x2)});
  ordered_json chain = ordered_json::array();
  for (const ChainShape& link : shapes.chain) chain.push_back({tenths(link.x1), link.from, tenths(link.x2), link.to});
  return {{"width", kPictureWidth}, {"gutter", kGutter},       {"axis", kAxis},
          {"height", kRowHeight},   {"rows", std::move(rows)}, {"chain", std::move(chain)}};
}

// Text inside <script> must not contain its end tag.
std::string data_of(const Timeline& timeline, const std::vector<Row>& all, const Strip& strip, const Shapes* shapes) {
  ordered_json data{{"rows", ordered_json::array()}, {"links", ordered_json::array()}};
  for (const Row& row : all) data["rows"].push_back(packed(hover_of(timeline, row)));
  for (const ChainPart& part : strip.parts) data["links"].push_back(packed(hover_of(timeline, part)));
  if (shapes != nullptr) data["shapes"] = packed(*shapes);
  const std::string text = data.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

void card(std::string& out, const Timeline& timeline, const char* from, const char* to, const char* label) {
  const auto first = timeline.find(from);
  const auto last = timeline.find(to);
  if (!first || !last) return;
  const double seconds = static_cast<double>(timeline.points[*last].at - timeline.points[*first].at) / 1e9;
  out += fmt::format("<div class=\"card\"><b>{:.3f} s</b><span>{}</span></div>\n", seconds, label);
}

void head(std::string& out, const Timeline& timeline) {
  const std::string_view state = to_string(timeline.state);
  out += fmt::format(
      "<header><h1>Provision{}</h1><span class=\"badge {}\">{}{}</span><span class=\"spring\"></span>"
      "<button id=\"theme\" type=\"button\">light / dark</button></header>\n",
      timeline.node.empty() ? "" : " of " + escaped(timeline.node), state, state,
      timeline.exit_code.empty() ? "" : ", exit code " + escaped(timeline.exit_code));
  out += fmt::format("<p class=\"sub\">{}{}zero is “{}”{}{}</p>\n",
                     timeline.mode.empty() ? "" : escaped(timeline.mode) + " mode · ",
                     timeline.version.empty() ? "" : "version " + escaped(timeline.version) + " · ",
                     escaped(timeline.zero_label), timeline.wall_offset ? " at " + wall_of_zero(timeline) : "",
                     timeline.boot.empty() ? "" : " · boot " + escaped(timeline.boot));
  if (timeline.state == RunState::kDryRun) out += "<p class=\"sub\">a dry run only: nothing was provisioned</p>\n";
  if (!timeline.failed_step.empty())
    out += "<p class=\"error\">failed step: " + escaped(timeline.failed_step) + "</p>\n";
  if (timeline.waiting_for) {
    const Span& span = timeline.spans[*timeline.waiting_for];
    out += fmt::format("<p class=\"error\">{}waiting for {} since {}</p>\n",
                       timeline.state == RunState::kRunning ? "" : "was ", escaped(span.name),
                       signed_seconds(timeline.seconds(timeline.start_of(span))));
  }
  if (!timeline.error.empty()) out += "<p class=\"error\">" + escaped(timeline.error) + "</p>\n";
  out += "<div class=\"cards\">\n";
  card(out, timeline, "kernel.start", "controller.start", "kernel → controller");
  card(out, timeline, "systemd.start", "controller.start", "systemd → controller");
  card(out, timeline, "controller.start", "kubelet.started", "controller → kubelet started");
  card(out, timeline, "kubelet.started", "node.registered", "kubelet → registered");
  card(out, timeline, "kubelet.started", "node.ready", "kubelet → NodeReady");
  card(out, timeline, "controller.start", "node.ready", "controller → NodeReady");
  card(out, timeline, "controller.start", "provision.complete", "controller → result");
  out += "</div>\n";
}

// A table of thousands of rows takes a browser seconds and is not readable: a large one contains only the longest
// waits.
std::vector<bool> shown_waits(const Timeline& timeline) {
  constexpr size_t kMost = 300;
  std::vector<bool> shown(timeline.chain.size(), true);
  if (shown.size() <= kMost) return shown;
  std::vector<size_t> longest(shown.size());
  std::iota(longest.begin(), longest.end(), size_t{0});
  std::ranges::stable_sort(longest, std::ranges::greater(), [&timeline](size_t i) {
    return timeline.points[timeline.chain[i].to].at - timeline.points[timeline.chain[i].from].at;
  });
  for (size_t i = kMost; i < longest.size(); ++i) shown[longest[i]] = false;
  return shown;
}

void chain_table(std::string& out, const Timeline& timeline) {
  if (timeline.chain.empty()) return;
  double longest = 1e-9;
  for (const Link& link : timeline.chain)
    longest = std::max(longest, static_cast<double>(timeline.points[link.to].at - timeline.points[link.from].at) / 1e9);
  out +=
      "<h2>What was waited for</h2><div class=\"panel\"><table "
      "id=\"waits\"><tr><th>reached</th><th>at</th><th>took</th>"
      "<th></th><th>waited for</th></tr>\n";
  const std::vector<bool> shown = shown_waits(timeline);
  for (size_t i = 0; i < timeline.chain.size(); ++i) {
    if (!shown[i]) continue;
    const Link& link = timeline.chain[i];
    const Point& to = timeline.points[link.to];
    const double took = static_cast<double>(to.at - timeline.points[link.from].at) / 1e9;
    out += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"bar\"><i style=\"width:{:.1f}%\">"
        "</i></td><td>{}</td></tr>\n",
        escaped(to.label), signed_seconds(timeline.seconds(to.at)), short_duration(took), 100 * took / longest,
        escaped(link.waited_for));
  }
  out += "</table>";
  if (const auto left_out = std::ranges::count(shown, false); left_out > 0)
    out += fmt::format("<p class=\"sub\">and {} shorter waits</p>", left_out);
  out += "</div>\n";
}

void notes(std::string& out, const Timeline& timeline) {
  out += "<h2>Sources</h2><ul>\n";
  for (const SourceNote& source : timeline.sources)
    out += fmt::format("<li class=\"{}\">{}: {}</li>\n", source.found ? "yes" : "no", escaped(source.name),
                       (source.found ? "" : "missing: ") + escaped(source.detail));
  for (const std::string& warning : timeline.warnings) out += "<li>" + escaped(warning) + "</li>\n";
  out += "</ul>\n";
  if (timeline.missing.empty()) return;
  out += "<h2>Not known</h2><ul>\n";
  for (const Missing& missing : timeline.missing)
    out += fmt::format("<li class=\"no\">{}: {}</li>\n", escaped(missing.label), escaped(missing.why));
  out += "</ul>\n";
}

}  // namespace

std::string as_html(const Timeline& timeline) {
  const std::vector<Row> all = rows(timeline);
  const bool many = all.size() > kManyRows;
  const Strip parts = strip_of(timeline);
  const Shapes shapes = shapes_of(timeline, all);
  const Chart strip = chain_strip(timeline, parts, Hovering::kByPage);
  const Chart chart = many ? gantt_frame(timeline, shapes) : gantt(timeline, all, shapes, Hovering::kByPage);
  std::string out;
  out.reserve(chart.body.size() * 2);
  out +=
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'\">\n<title>Provision ";
  append_escaped(out, timeline.node);
  out += "</title><style>";
  out += kPictureColours;
  out += kPictureStyle;
  out += kPageStyle;
  out += "</style></head><body><main>\n";
  head(out, timeline);
  if (strip.height > 0) {
    out += fmt::format(
        "<h2>The critical chain</h2><div class=\"panel\"><svg id=\"strip\" viewBox=\"0 0 {} {}\" role=\"img\" "
        "aria-label=\"critical chain\">\n{}</svg></div>\n",
        kPictureWidth, strip.height, strip.body);
  }
  out +=
      "<h2>All items, in order of start</h2><div class=\"panel\"><div class=\"tools\">"
      "<span class=\"key\"><i style=\"background:var(--stage)\"></i>cloud-init</span>"
      "<span class=\"key\"><i style=\"background:var(--unit)\"></i>unit</span>"
      "<span class=\"key\"><i style=\"background:var(--step)\"></i>step</span>"
      "<span class=\"key\"><i style=\"background:var(--script)\"></i>script step</span>"
      "<span class=\"key\"><i style=\"background:var(--chain)\"></i>critical chain</span><span class=\"spring\"></span>"
      "<label><input id=\"only\" type=\"checkbox\"> only the chain</label>"
      "<input id=\"find\" type=\"search\" placeholder=\"find\" aria-label=\"find\"></div>\n";
  out += fmt::format("<svg id=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"timeline\">\n", kPictureWidth,
                     chart.height);
  out += chart.body;
  out += "</svg>";
  if (many)
    out += fmt::format(
        "<noscript><p class=\"sub\">This page draws its {} rows with a script, and scripts are disabled. "
        "`--format svg` shows all rows without a script; `--format text` lists them.</p></noscript>",
        all.size());
  out += "</div>\n";
  chain_table(out, timeline);
  notes(out, timeline);
  out += "</main><div id=\"tip\" role=\"tooltip\" hidden></div>\n<script id=\"data\" type=\"application/json\">";
  out += data_of(timeline, all, parts, many ? &shapes : nullptr);
  out += "</script>\n<script>";
  out += kPageScript;
  out += "</script></body></html>\n";
  return out;
}

}  // namespace sunup::timeline
