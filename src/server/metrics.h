// The server's metrics, in the text format of Prometheus (version 0.0.4).
//
// Debian has prometheus-cpp only as shared libraries, and the program depends on no library but glibc
// (docs/decisions/0010). Counters and histograms with fixed labels are sufficient.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace sunup::server {

// The quoted value of a label.
std::string label_value(std::string_view text);

class Histogram {
 public:
  // In seconds.
  static constexpr std::array<double, 12> kBounds = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005,
                                                     0.01,   0.025,   0.1,    0.5,   1,      5};
  void add(double seconds);
  void append_to(std::string& out, std::string_view name, std::string_view labels) const;

 private:
  std::array<uint64_t, kBounds.size() + 1> counts_{};
  double sum_ = 0;
};

// Used by one thread.
class Metrics {
 public:
  // `route` is the path of a route in the table, or "none", but never text from a client.
  void request_ended(std::string_view route, std::string_view method, int status, std::chrono::nanoseconds time);
  // Counts a review by the cluster: "token" or "access", and its result: "allowed", "denied" or "failed".
  void reviewed(std::string_view kind, std::string_view result);
  // Counts the report of a node. The labels have few values.
  void node_reported(int exit_code, std::string_view step, std::string_view failure_class);

  uint64_t in_flight = 0;
  uint64_t connections = 0;
  uint64_t accept_failures = 0;
  uint64_t tls_failures = 0;

  std::string text(uint64_t dropped_log_lines) const;

 private:
  std::map<std::tuple<std::string_view, std::string, int>, uint64_t> requests_;
  std::map<std::string_view, Histogram> durations_;
  std::map<std::pair<std::string, std::string>, uint64_t> reviews_;
  std::map<std::tuple<int, std::string, std::string>, uint64_t> results_;
};

}  // namespace sunup::server
