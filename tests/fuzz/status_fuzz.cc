// Any bytes contain statuses or none: a reported status can be printed, and a planted status is found.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "report/status.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup::report;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const StatusReport report = find_statuses(bytes);
  require(report.exit_code() >= 0 && report.exit_code() <= 2, "a verdict is one of three");
  require(!report.statuses.empty() || report.exit_code() == 2, "without a status there is no success");
  for (const CseStatus& status : report.statuses)
    require(std::ranges::is_sorted(status.moments, {},
                                   [](const BootMoment& moment) { return moment.seconds.value_or(1e300); }),
            "moments are in the order of time");
  const std::string text = verdict_text(report);
  for (const char c : text)
    require(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t', "a terminal gets no control characters");
  require(!verdict_json(report).empty(), "a verdict can be printed for programs");

  // In a log the last result is used.
  const std::string planted =
      std::string(bytes) + "\n\"\n{\"ExitCode\":\"51\",\"Output\":\"planted\",\"Error\":\"\"}\n";
  const bool utf16 = bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF");
  require(utf16 || find_statuses(planted).exit_code() != 0 || !report.statuses.empty(), "a failure is not a success");
  return 0;
}
