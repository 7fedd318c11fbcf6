#include "fleet/resolve/node_reserve.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "fleet/sources/quantity.h"

namespace sunup::fleet {
namespace {

TEST(KubeReserved, TakesThePublishedShareOfTheCpus) {
  const std::map<int, std::string> expected = {
      {2, "100m"},    {3, "120m"},    {4, "140m"},    {6, "160m"},    {8, "180m"},    {12, "220m"},
      {16, "260m"},   {20, "300m"},   {24, "340m"},   {32, "420m"},   {40, "500m"},   {48, "580m"},
      {64, "740m"},   {72, "820m"},   {80, "900m"},   {96, "1060m"},  {104, "1140m"}, {120, "1299m"},
      {128, "1380m"}, {176, "1859m"}, {192, "2020m"}, {208, "2180m"}, {416, "4260m"}};
  for (const auto& [cpus, reserved] : expected) EXPECT_EQ(format_millicores(kube_reserved_millicores(cpus)), reserved);
}

TEST(KubeReserved, TakesThePublishedShareOfTheMemory) {
  const std::map<double, std::string> expected = {
      {3.5, "896Mi"},   {4, "1Gi"},       {7, "1638Mi"},     {8, "1843Mi"},     {14, "2457Mi"},
      {16, "2662Mi"},   {28, "3399Mi"},   {32, "3645Mi"},    {56, "5Gi"},       {64, "5611Mi"},
      {112, "8560Mi"},  {128, "9543Mi"},  {160, "10199Mi"},  {192, "10854Mi"},  {224, "11509Mi"},
      {256, "12165Mi"}, {384, "14786Mi"}, {432, "15769Mi"},  {448, "16097Mi"},  {512, "17Gi"},
      {672, "20684Mi"}, {900, "25354Mi"}, {1024, "27893Mi"}, {2048, "48865Mi"}, {3892, "86630Mi"}};
  for (const auto& [gib, reserved] : expected) EXPECT_EQ(format_mebibytes(kube_reserved_mebibytes(gib)), reserved);
}

// The values of amd64. A processor that multiplies and adds with a single rounding (arm64) gives different ones, unless
// the build disables it.
TEST(KubeReserved, IsTheSameOnEveryArchitecture) {
  uint64_t digest = 14695981039346656037U;  // FNV-1a
  std::string first;
  for (int cpus = 1; cpus <= 896; ++cpus)
    for (const double gib_per_cpu : {0.5, 1.75, 2.0, 3.8, 4.0, 7.0, 8.0, 14.9, 31.3}) {
      const double gib = cpus * gib_per_cpu;
      const std::string line =
          fmt::format("{} {} {} {}\n", cpus, gib, kube_reserved(cpus, gib), schedulable_memory_bytes(gib, 0.075));
      if (cpus == 120) first += line;
      for (const char c : line) digest = (digest ^ static_cast<unsigned char>(c)) * 1099511628211U;
    }
  EXPECT_EQ(digest, 13728488576498086063U) << "the values of 120 CPUs, of 8,064 in all:\n" << first;
}

TEST(KubeReserved, SpellsBothAsOneFlag) {
  EXPECT_EQ(kube_reserved(2, 8), "cpu=100m,memory=1843Mi");
  EXPECT_EQ(kube_reserved(4, 7), "cpu=140m,memory=1638Mi");
}

TEST(SchedulableMemory, IsWholeGibibytesLessTheOverhead) {
  EXPECT_EQ(schedulable_memory_bytes(8, 0.075), 8589934592 - 644245095);
  EXPECT_EQ(schedulable_memory_bytes(3.5, 0), 3221225472);
}

}  // namespace
}  // namespace sunup::fleet
