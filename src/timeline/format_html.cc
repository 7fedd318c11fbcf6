#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>

#include "timeline/formats.h"
#include "timeline/gantt.h"
#include "timeline/page.h"

namespace sunup::timeline {
namespace {

using nlohmann::ordered_json;

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

// Inside <script> nothing may look like its end.
std::string data_of(const Timeline& timeline, const std::vector<Row>& all) {
  ordered_json data{{"rows", ordered_json::array()}, {"links", ordered_json::array()}};
  for (const Row& row : all) data["rows"].push_back(packed(hover_of(timeline, row)));
  for (const Link& link : timeline.chain) data["links"].push_back(packed(hover_of(timeline, link)));
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

// A table of thousands of rows takes a browser seconds, and nobody reads it: then only the longest waits are in it.
double shortest_shown(const Timeline& timeline) {
  constexpr size_t kMost = 300;
  if (timeline.chain.size() <= kMost) return 0;
  std::vector<double> took;
  for (const Link& link : timeline.chain)
    took.push_back(static_cast<double>(timeline.points[link.to].at - timeline.points[link.from].at) / 1e9);
  std::ranges::nth_element(took, took.begin() + kMost, std::ranges::greater());
  // Strictly longer than the first that is left out, so that thousands of equals do not come back.
  return std::nextafter(took[kMost], 1e18);
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
  const double shown_from = shortest_shown(timeline);
  for (const Link& link : timeline.chain) {
    const Point& to = timeline.points[link.to];
    const double took = static_cast<double>(to.at - timeline.points[link.from].at) / 1e9;
    if (took < shown_from) continue;
    out += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"bar\"><i style=\"width:{:.1f}%\">"
        "</i></td><td>{}</td></tr>\n",
        escaped(to.label), signed_seconds(timeline.seconds(to.at)), short_duration(took), 100 * took / longest,
        escaped(link.waited_for));
  }
  out += "</table></div>\n";
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
  const Chart strip = chain_strip(timeline, Hovering::kByPage);
  const Chart chart = gantt(timeline, all, Hovering::kByPage);
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
      "<h2>Everything, as it began</h2><div class=\"panel\"><div class=\"tools\">"
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
  out += "</svg></div>\n";
  chain_table(out, timeline);
  notes(out, timeline);
  out += "</main><div id=\"tip\" role=\"tooltip\" hidden></div>\n<script id=\"data\" type=\"application/json\">";
  out += data_of(timeline, all);
  out += "</script>\n<script>";
  out += kPageScript;
  out += "</script></body></html>\n";
  return out;
}

}  // namespace sunup::timeline
