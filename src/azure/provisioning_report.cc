#include "azure/provisioning_report.h"

#include "base/utf8.h"

namespace sunup::azure {
namespace {

constexpr size_t kLongestReason = 240;
constexpr size_t kLongestHint = 120;

void add(std::string& line, std::string_view name, std::string_view value, size_t most = 512) {
  if (value.empty()) return;
  std::string field = std::string(name) + "=";
  // A reader of the pool refuses all of its records if one of them is not UTF-8.
  for (size_t used = 0; !value.empty();) {
    const Rune rune = first_rune(value);
    used += rune.size;
    if (used > most) break;
    const bool blank = value.front() == '\n' || value.front() == '\r';
    field += blank ? std::string(" ") : rune.valid() ? std::string(value.substr(0, rune.size)) : std::string("?");
    value.remove_prefix(rune.size);
  }
  if (!line.empty()) line += '|';
  if (field.find_first_of("|'") == std::string::npos) {
    line += field;
    return;
  }
  line += '\'';
  for (const char c : field) line += c == '\'' ? std::string("''") : std::string(1, c);
  line += '\'';
}

}  // namespace

std::string provisioning_report(const ProvisioningReport& report) {
  std::string line;
  const bool failed = !report.reason.empty();
  add(line, "result", failed ? "error" : "success");
  if (failed) {
    add(line, "reason", report.reason, kLongestReason);
    add(line, "exit_code", report.exit_code);
    add(line, "step", report.step);
    add(line, "hint", report.hint, kLongestHint);
  }
  add(line, "agent", "Sunup/" + report.version);
  add(line, "pps_type", report.preprovisioned.empty() ? "None" : report.preprovisioned);
  add(line, "vm_id", report.vm_id);
  add(line, "timestamp", report.time);
  if (failed) add(line, "documentation_url", "https://aka.ms/linuxprovisioningerror");
  return line;
}

}  // namespace sunup::azure
