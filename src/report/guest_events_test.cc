#include "report/guest_events.h"

#include <gtest/gtest.h>

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

TEST(GuestEvent, EscapesMarkupInTheMessageOfAnError) {
  const GuestEvent event{
      .task = "Provision", .level = EventLevel::kError, .message = "failed <a> & \u2028", .start = 0, .end = 0};
  const std::string json = to_json(event);
  EXPECT_NE(json.find(R"("EventLevel":"Error","Message":"failed \u003ca\u003e \u0026 \u2028 | )"), std::string::npos)
      << json;
}

}  // namespace
}  // namespace sunup::report
