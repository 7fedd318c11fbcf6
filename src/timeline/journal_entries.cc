#include "timeline/journal_entries.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace sunup::timeline {
namespace {

using nlohmann::json;

// journalctl writes text as a string, other bytes as an array of numbers, and a value that is too long as null.
std::string text_of(const json& entry, const char* field) {
  const auto found = entry.find(field);
  if (found == entry.end()) return "";
  if (found->is_string()) return found->get<std::string>();
  std::string bytes;
  if (found->is_array()) {
    for (const json& byte : *found)
      if (byte.is_number_integer()) bytes += static_cast<char>(byte.get<int>());
  }
  return bytes;
}

Nanos micros(const json& entry, const char* field) {
  const std::string text = text_of(entry, field);
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr int64_t kMost = 9'000'000'000'000'000;  // the year 2255; larger values are not times
  return value >= 0 && value < kMost ? value * 1000 : 0;
}

bool read_entry(std::string_view line, JournalEntry& out) {
  const json entry = json::parse(line, nullptr, false);
  if (!entry.is_object()) return false;
  out.boot = text_of(entry, "_BOOT_ID");
  out.monotonic = micros(entry, "__MONOTONIC_TIMESTAMP");
  out.wall = micros(entry, "__REALTIME_TIMESTAMP");
  if (out.boot.empty() || out.wall == 0) return false;
  // A missing clock value is not zero.
  if (out.monotonic == 0 && entry.contains("__MONOTONIC_TIMESTAMP") && text_of(entry, "__MONOTONIC_TIMESTAMP") != "0")
    return false;
  // The time of logging is more accurate than the time when journald read the entry. Both clocks must be of the same
  // moment to form an anchor; if the clock jumped in between, the pair of journald is used.
  const Nanos source_monotonic = micros(entry, "_SOURCE_MONOTONIC_TIMESTAMP");
  const Nanos source_wall = micros(entry, "_SOURCE_REALTIME_TIMESTAMP");
  if (source_wall != 0 && source_wall <= out.wall && out.wall - source_wall <= out.monotonic &&
      out.wall - source_wall < kSecond) {
    out.monotonic -= out.wall - source_wall;
    out.wall = source_wall;
  } else if (source_monotonic != 0 && source_monotonic <= out.monotonic && text_of(entry, "_TRANSPORT") == "kernel") {
    out.wall -= out.monotonic - source_monotonic;
    out.monotonic = source_monotonic;
  }
  out.message = text_of(entry, "MESSAGE");
  out.message_id = text_of(entry, "MESSAGE_ID");
  out.host = text_of(entry, "_HOSTNAME");
  out.unit = text_of(entry, "UNIT");
  out.by_manager = !out.unit.empty();
  if (!out.by_manager) out.unit = text_of(entry, "_SYSTEMD_UNIT");
  if (out.message_id == kStartupFinished) out.kernel_took = micros(entry, "KERNEL_USEC");
  return true;
}

}  // namespace

JournalText parse_journal(std::string_view text) {
  JournalText journal;
  std::map<std::string, size_t, std::less<>> boots;  // in order of first appearance
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const bool whole = end != std::string_view::npos;
    text.remove_prefix(whole ? end + 1 : text.size());
    if (line.empty()) continue;
    JournalEntry entry;
    if (read_entry(line, entry)) {
      boots.try_emplace(entry.boot, boots.size());
      journal.entries.push_back(std::move(entry));
    } else if (whole) {
      ++journal.unreadable;
    }
  }
  std::ranges::stable_sort(journal.entries, [&boots](const JournalEntry& a, const JournalEntry& b) {
    if (a.boot != b.boot) return boots.find(a.boot)->second < boots.find(b.boot)->second;
    return a.monotonic < b.monotonic;
  });
  return journal;
}

std::string journal_boot_id(std::string_view text) {
  std::string id;
  for (const char c : text)
    if (hex_digit(c) >= 0) id += c;
  return id;
}

}  // namespace sunup::timeline
