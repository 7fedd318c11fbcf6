// Entries of the systemd journal, as `journalctl --output=json` prints them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "timeline/model.h"

namespace sunup::timeline {

struct JournalEntry {
  std::string boot = {};
  Nanos monotonic = 0;
  Nanos wall = 0;
  std::string unit = {};    // the unit that logged it or, for messages of systemd, the unit that they are about
  bool by_manager = false;  // systemd logged it about the unit
  std::string message_id = {};
  std::string message = {};
  std::string host = {};
  Nanos kernel_took = 0;  // of systemd's "Startup finished"
};

// Lines that are not entries are skipped and counted; a truncated last line is not an error.
struct JournalText {
  std::vector<JournalEntry> entries = {};  // by boot as they come, then by monotonic time
  size_t unreadable = 0;
};
JournalText parse_journal(std::string_view text);

// systemd's catalogue.
inline constexpr std::string_view kUnitStarting = "7d4958e842da4a758f6c1cdc7b36dcc5";
inline constexpr std::string_view kUnitStarted = "39f53479d3a045ac8e11786248231fbf";
inline constexpr std::string_view kUnitFailed = "be02cf6855d2428ba40df7e9d022f03d";
inline constexpr std::string_view kStartupFinished = "b07a249cd024414a82dd00cd181378ff";

// The boot ID in the format of the journal: without the dashes of the kernel's format, which journalctl does not
// accept.
std::string journal_boot_id(std::string_view text);

}  // namespace sunup::timeline
