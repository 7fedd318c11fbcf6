#include "fleet/sources/patient_client.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>

namespace sunup::fleet {
namespace {

using std::chrono::milliseconds;

TEST(Backoff, WaitsTwiceAsLongEachTimeUpToItsLimit) {
  EXPECT_TRUE(rc::check([](uint32_t seed) {
    Backoff backoff(milliseconds(100), milliseconds(1000), seed);
    for (const int most : {100, 200, 400, 800, 1000, 1000, 1000}) {
      const milliseconds pause = backoff.next();
      RC_ASSERT(pause >= milliseconds(most / 2));
      RC_ASSERT(pause <= milliseconds(most));
    }
  }));
}

TEST(Backoff, SpreadsThoseWhoStartTogether) {
  std::set<milliseconds> pauses;
  for (uint32_t seed = 1; seed <= 100; ++seed)
    pauses.insert(Backoff(milliseconds(1000), milliseconds(1000), seed * 7919).next());
  EXPECT_GT(pauses.size(), 50u);
}

}  // namespace
}  // namespace sunup::fleet
