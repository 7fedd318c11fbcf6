#include "base/validity.h"

#include <gtest/gtest.h>

namespace sunup {
namespace {

TEST(Validity, NamesTheClockAndTheLimitThatItMisses) {
  const Validity year{.not_before = 1735689600, .not_after = 1767225599};
  EXPECT_EQ(validity_problem(year, 1735689600), "");
  EXPECT_EQ(validity_problem(year, 1767225599), "");
  EXPECT_EQ(validity_problem(year, 1735689599),
            "the clock says 2024-12-31 23:59:59 UTC, but the certificate is not valid before 2025-01-01 00:00:00 UTC");
  EXPECT_EQ(validity_problem(year, 1767225600),
            "the clock says 2026-01-01 00:00:00 UTC, but the certificate is valid only until 2025-12-31 23:59:59 UTC");
}

}  // namespace
}  // namespace sunup
