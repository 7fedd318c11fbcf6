#include "server/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace sunup::server {
namespace {

void describe(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  fmt::format_to(std::back_inserter(out), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

void plain(std::string& out, std::string_view name, std::string_view type, std::string_view help, uint64_t value) {
  describe(out, name, type, help);
  fmt::format_to(std::back_inserter(out), "{} {}\n", name, value);
}

// A client may send any method, and every value of a label needs memory.
std::string_view known_method(std::string_view method) {
  for (const std::string_view known : {"GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH"})
    if (method == known) return known;
  return "other";
}

}  // namespace

std::string label_value(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "\"";
}

void Histogram::add(double seconds) {
  const auto bound = std::ranges::lower_bound(kBounds, seconds);
  ++counts_[static_cast<size_t>(bound - kBounds.begin())];
  sum_ += seconds;
}

void Histogram::append_to(std::string& out, std::string_view name, std::string_view labels) const {
  uint64_t count = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    count += counts_[i];
    const std::string bound = i < kBounds.size() ? fmt::format("{}", kBounds[i]) : "+Inf";
    fmt::format_to(std::back_inserter(out), "{}_bucket{{{},le=\"{}\"}} {}\n", name, labels, bound, count);
  }
  fmt::format_to(std::back_inserter(out), "{}_sum{{{}}} {}\n{}_count{{{}}} {}\n", name, labels, sum_, name, labels,
                 count);
}

void Metrics::request_ended(std::string_view route, std::string_view method, int status,
                            std::chrono::nanoseconds time) {
  ++requests_[{route, std::string(known_method(method)), status}];
  durations_[route].add(std::chrono::duration<double>(time).count());
}

void Metrics::reviewed(std::string_view kind, std::string_view result) {
  ++reviews_[{std::string(kind), std::string(result)}];
}

void Metrics::node_reported(int exit_code, std::string_view step, std::string_view failure_class) {
  // Nodes send the names of steps, so their number is limited.
  constexpr size_t kMostResults = 1000;
  std::tuple key(exit_code, std::string(step), std::string(failure_class));
  if (results_.size() >= kMostResults && !results_.contains(key)) std::get<1>(key) = "other";
  ++results_[std::move(key)];
}

std::string Metrics::text(uint64_t dropped_log_lines) const {
  std::string out;
  const auto to = std::back_inserter(out);
  describe(out, "sunup_http_requests_total", "counter", "Requests, by route and status.");
  for (const auto& [key, count] : requests_)
    fmt::format_to(to, "sunup_http_requests_total{{route={},method={},code=\"{}\"}} {}\n",
                   label_value(std::get<0>(key)), label_value(std::get<1>(key)), std::get<2>(key), count);
  describe(out, "sunup_http_request_duration_seconds", "histogram",
           "Time from the first byte of a request to the answer.");
  for (const auto& [route, durations] : durations_)
    durations.append_to(out, "sunup_http_request_duration_seconds", "route=" + label_value(route));
  plain(out, "sunup_http_requests_in_flight", "gauge", "Requests that are being answered.", in_flight);
  plain(out, "sunup_http_connections", "gauge", "Open connections.", connections);
  plain(out, "sunup_http_accept_failures_total", "counter", "Connections that could not be accepted.", accept_failures);
  plain(out, "sunup_tls_handshake_failures_total", "counter", "TLS handshakes that failed.", tls_failures);
  plain(out, "sunup_log_lines_dropped_total", "counter", "Lines of the log that nobody read in time.",
        dropped_log_lines);
  describe(out, "sunup_auth_reviews_total", "counter", "Questions to the cluster about callers, by kind and result.");
  for (const auto& [key, count] : reviews_)
    fmt::format_to(to, "sunup_auth_reviews_total{{kind={},result={}}} {}\n", label_value(key.first),
                   label_value(key.second), count);
  describe(out, "sunup_node_results_total", "counter",
           "Results that nodes have reported, by exit code, step and class of failure.");
  for (const auto& [key, count] : results_)
    fmt::format_to(to, "sunup_node_results_total{{exit_code=\"{}\",step={},class={}}} {}\n", std::get<0>(key),
                   label_value(std::get<1>(key)), label_value(std::get<2>(key)), count);
  return out;
}

}  // namespace sunup::server
