#include "report/guest_events.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <ctime>

namespace sunup::report {
namespace {

TEST(GuestEvent, HasTheRecordedShape) {
  setenv("TZ", "UTC", 1);  // NOLINT(concurrency-mt-unsafe): this test has one thread
  tzset();
  const GuestEvent event{.task = "Provision",
                         .level = EventLevel::kInformational,
                         .message = "Completed",
                         .start = 1'794'769'175'117'900'000,
                         .end = 1'794'769'175'129'766'286};
  EXPECT_EQ(to_json(event),
            R"({"Timestamp":"2026-11-15 18:59:35.117","OperationId":"2026-11-15 18:59:35.129","Version":"1.23",)"
            R"("TaskName":"AKS.AKSNodeController.Provision","EventLevel":"Informational","Message":"Completed | )"
            R"(startTime=2026-11-15 18:59:35.117 endTime=2026-11-15 18:59:35.129 durationMs=11","EventPid":"0",)"
            R"("EventTid":"0"})");
  EXPECT_EQ(event_file_name(event.end), "1794769175129766286.json");
}

TEST(GuestEvent, MessageThatMayBeCutFitsWithItsTimesAndBreaksNoCharacter) {
  for (const size_t length : {1000u, 1001u, 1490u, 1491u, 3000u}) {
    std::string text = length % 2 == 0 ? "" : "x";
    while (text.size() < length * 2) text += "ä";
    GuestEvent event{.task = "ConfigFindings", .message = text, .start = 0, .end = 0};
    event.may_be_cut = true;
    const auto shown = nlohmann::json::parse(to_json(event))["Message"].get<std::string>();
    EXPECT_LE(shown.size(), kLongestMessage);
    EXPECT_NE(shown.find(" | startTime="), std::string::npos);
    if (length < 1400) {
      EXPECT_EQ(shown.substr(0, text.size()), text);
    }
    event.may_be_cut = false;
    EXPECT_GT(to_json(event).size(), text.size());
  }
}

TEST(GuestEvent, EscapesMarkupInTheMessageOfAnError) {
  const GuestEvent event{
      .task = "Provision", .level = EventLevel::kError, .message = "failed <a> & \u2028", .start = 0, .end = 0};
  const std::string json = to_json(event);
  EXPECT_NE(json.find(R"("EventLevel":"Error","Message":"failed \u003ca\u003e \u0026 \u2028 | )"), std::string::npos)
      << json;
}

}  // namespace
}  // namespace sunup::report
