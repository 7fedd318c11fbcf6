// A timeline is built from sources of any content: the run record, logs, the systemd journal, properties of units, the
// result and events, which are separated by NUL in the input. It can be shown in every format, and its JSON can be read
// again. The text of a budget and the reply of a collector are read, too.
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "require.h"
#include "timeline/budget.h"
#include "timeline/build.h"
#include "timeline/compare.h"
#include "timeline/formats.h"
#include "timeline/journal_entries.h"
#include "timeline/run_record.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sunup;
  using namespace sunup::timeline;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  if (const auto record = parse_run_record(rest)) {
    require(record->last >= record->start, "a record does not end before it starts");
    for (const RecordedStep& step : record->steps) require(!step.name.empty(), "a step has a name");
  }
  const auto budget = parse_budget(rest);
  require(budget.ok() || !budget.error().what.empty(), "a refusal has a reason");
  if (const auto refused = refusal_of(rest))
    require(refused->spans != 0 || !refused->message.empty(), "a refusal says what");
  const auto other = run_of_json("run", rest);
  require(other.ok() || !other.error().what.empty(), "a refusal has a reason");
  Nanos before = 0;
  std::string boot;
  for (const JournalEntry& entry : parse_journal(rest).entries) {
    require(entry.boot != boot || entry.monotonic >= before, "the entries of a boot are in the order of time");
    boot = entry.boot;
    before = entry.monotonic;
  }

  Sources sources;
  for (std::optional<std::string>* source : {&sources.run_record, &sources.controller_log, &sources.journal,
                                             &sources.units, &sources.cloud_init_log, &sources.provision_json})
    if (const std::string_view text = take_until(rest, '\0'); !text.empty()) *source = text;
  if (!rest.empty()) sources.events.emplace_back("1.json", rest);
  const auto built = build(sources);
  require(built.ok() || !built.error().what.empty(), "a refusal has a reason");
  if (!built) return 0;
  for (size_t format = 0; format < std::size(kFormatNames); ++format)
    require(!show(*built, static_cast<Format>(format)).empty(), "a timeline can be shown");
  const auto read = run_of_json("run", as_json(*built));
  require(read.ok(), "the JSON of a timeline can be read again");
  (void)check_budget({.zero = {}, .lines = {{.id = "node.ready", .seconds = 1}}},
                     {"group", {run_of("run", *built), *read}});
  return 0;
}
