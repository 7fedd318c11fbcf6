#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/quoted.h"
#include "timeline/compare.h"

namespace sunup::timeline {
namespace {

using nlohmann::ordered_json;

std::string cell(const std::optional<Figures>& figures) {
  if (!figures) return "-";
  if (figures->runs == 1) return fmt::format("{:+.3f}s", figures->median);
  return fmt::format("{:+.3f}s [{:+.3f} {:+.3f}]", figures->median, figures->low, figures->high);
}

double rounded(double seconds) {
  return std::round(seconds * 1e6) / 1e6;
}

ordered_json numbers(const std::optional<Figures>& figures) {
  if (!figures) return nullptr;
  return {{"runs", figures->runs},
          {"median", rounded(figures->median)},
          {"low", rounded(figures->low)},
          {"high", rounded(figures->high)}};
}

std::string not_compared(const Comparison& comparison, size_t i) {
  std::string text;
  if (comparison.failed[i] > 0) text += fmt::format("; {} of {} runs failed", comparison.failed[i], comparison.runs[i]);
  if (comparison.unfinished[i] > 0)
    text += fmt::format("; {} of {} runs did not end", comparison.unfinished[i], comparison.runs[i]);
  return text.empty() ? "" : text + ": not compared";
}

}  // namespace

std::string comparison_text(const Comparison& comparison) {
  size_t width = 9;
  for (const ComparedMoment& moment : comparison.moments) width = std::max(width, one_line(moment.label).size());
  std::string text;
  const auto out = std::back_inserter(text);
  for (size_t i = 0; i < comparison.groups.size(); ++i)
    fmt::format_to(out, "{}: {} ({} run{}{})\n", static_cast<char>('A' + i), one_line(comparison.groups[i]),
                   comparison.runs[i], comparison.runs[i] == 1 ? "" : "s", not_compared(comparison, i));
  fmt::format_to(
      out,
      "median [fastest slowest]; own: the change of the time since the event that it waited for; p: the probability "
      "that chance alone causes the difference (the goal alone, the others corrected for their number)\n\n");
  fmt::format_to(out, "{:<{}}  {:<28}", "milestone", width, "A");
  for (size_t i = 1; i < comparison.groups.size(); ++i)
    fmt::format_to(out, "  {:<28} {:>9} {:>9} {:>6}  {:<20}", static_cast<char>('A' + i), "change", "own", "p", "");
  while (text.ends_with(' ')) text.pop_back();
  text += '\n';
  for (const ComparedMoment& moment : comparison.moments) {
    fmt::format_to(out, "{:<{}}  {:<28}", one_line(moment.label), width, cell(moment.base));
    for (const Change& change : moment.changes) {
      if (change.judgement == Judgement::kOnlyOne)
        fmt::format_to(out, "  {:<28} {:>9} {:>9} {:>6}  {:<20}", cell(change.figures), "", "", "",
                       to_string(change.judgement));
      else
        fmt::format_to(out, "  {:<28} {:>+8.3f}s {:>+8.3f}s {:>6.3f}  {:<20}", cell(change.figures), change.by,
                       change.own, change.p, to_string(change.judgement));
    }
    while (text.ends_with(' ')) text.pop_back();
    text += '\n';
  }
  text += '\n';
  for (const std::string& verdict : comparison.verdicts) text += one_line(verdict) + "\n";
  return text;
}

std::string comparison_json(const Comparison& comparison) {
  ordered_json out{{"schema", "sunup.timeline-diff/1"}, {"groups", ordered_json::array()}};
  for (size_t i = 0; i < comparison.groups.size(); ++i)
    out["groups"].push_back({{"name", comparison.groups[i]},
                             {"runs", comparison.runs[i]},
                             {"failed", comparison.failed[i]},
                             {"unfinished", comparison.unfinished[i]}});
  ordered_json& moments = out["milestones"] = ordered_json::array();
  for (const ComparedMoment& moment : comparison.moments) {
    ordered_json changes = ordered_json::array();
    for (const Change& change : moment.changes)
      changes.push_back({{"group", comparison.groups[change.group]},
                         {"figures", numbers(change.figures)},
                         {"by", rounded(change.by)},
                         {"own", rounded(change.own)},
                         {"p", rounded(change.p)},
                         {"ownP", rounded(change.own_p)},
                         {"judgement", to_string(change.judgement)}});
    moments.push_back(
        {{"id", moment.id}, {"label", moment.label}, {"base", numbers(moment.base)}, {"changes", changes}});
  }
  out["goals"] = comparison.goals;
  out["verdicts"] = comparison.verdicts;
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace sunup::timeline
