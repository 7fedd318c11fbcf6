// The controller's log: one JSON object per line, written to the log file and to stderr.
//
//   {"time":"2026-11-15T18:59:35.12981556Z","level":"INFO","msg":"aks-node-controller started","task":"Provision"}
//
//   log.info("aks-node-controller started", {{"task", "Provision"}});
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include "redaction/redactor.h"
#include "report/wall_time.h"

namespace sunup::report {

// The messages that readers of the log recognise: the timeline, the support bundle, `status parse`.
namespace messages {
inline constexpr std::string_view kStarted = "aks-node-controller started";
inline constexpr std::string_view kSucceeded = "aks-node-controller finished successfully.";
inline constexpr std::string_view kFailed = "aks-node-controller failed";
inline constexpr std::string_view kProvisionedAlready = "this node is provisioned already";
inline constexpr std::string_view kDryRun = "dry-run";
inline constexpr std::string_view kScriptsEnded = "CSE finished";
inline constexpr std::string_view kMilestone = "milestone reached";
inline constexpr std::string_view kConfigRefused = "this config cannot be provisioned";
inline constexpr std::string_view kWaitEnded = "provision-wait finished";
// provision-wait: "provision failed: exitCode=50 error=... output=..."
inline constexpr std::string_view kProvisionFailed = "provision failed: exitCode=";
inline constexpr std::string_view kItsError = " error=";
inline constexpr std::string_view kItsOutput = " output=";
}  // namespace messages

enum class Level { kInfo, kWarn, kError };

struct Attribute {
  Attribute(std::string_view name, std::string_view text) : key(name), value(text) {}
  Attribute(std::string_view name, const char* text) : key(name), value(std::string_view(text)) {}
  Attribute(std::string_view name, const std::string& text) : key(name), value(std::string_view(text)) {}
  Attribute(std::string_view name, bool yes) : key(name), value(yes) {}
  Attribute(std::string_view name, int number) : key(name), value(int64_t{number}) {}
  Attribute(std::string_view name, std::nullptr_t) : key(name), value(nullptr) {}

  std::string_view key;
  std::variant<std::string_view, int64_t, bool, std::nullptr_t> value;
};
using Attributes = std::initializer_list<Attribute>;

class Log {
 public:
  using Now = std::function<WallTime()>;
  using Sink = std::function<void(std::string_view line)>;  // receives the record with its newline

  Log(Now now, Sink sink) : now_(std::move(now)), sink_(std::move(sink)) {}

  // From now on, `redactor` is applied to every record. It must outlive the log.
  void redact_with(const redaction::Redactor& redactor) { redactor_ = &redactor; }

  void info(std::string_view message, Attributes attributes = {}) { write(Level::kInfo, message, attributes); }
  void warn(std::string_view message, Attributes attributes = {}) { write(Level::kWarn, message, attributes); }
  void error(std::string_view message, Attributes attributes = {}) { write(Level::kError, message, attributes); }
  void write(Level level, std::string_view message, Attributes attributes);

 private:
  void append_text(std::string& record, std::string_view text) const;

  Now now_;
  Sink sink_;
  const redaction::Redactor* redactor_ = nullptr;
};

}  // namespace sunup::report
