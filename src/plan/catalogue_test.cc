#include "plan/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "plan/metadata.h"

namespace sunup::plan {
namespace {

using testing::Contains;
using testing::IsEmpty;

TEST(Catalogue, NamesEveryStepOnce) {
  std::set<std::string_view> names;
  for (const Declaration& step : catalogue()) EXPECT_TRUE(names.insert(step.name).second) << step.name;
}

TEST(Catalogue, EveryConcernOfTheNodeIsWrittenByExactlyOneStep) {
  std::multiset<std::string_view> written;
  for (const Declaration& step : catalogue()) written.insert(step.concerns.begin(), step.concerns.end());
  for (const node::Concern& concern : node::concerns()) {
    if (concern.name == "CNI" || concern.name == "sshd") continue;  // their bodies need more than the facts
    EXPECT_EQ(written.count(concern.name), 1U) << concern.name;
  }
}

TEST(Metadata, KeepsWhatStepsUseAndNothingElse) {
  const auto facts = node::parse_imds(
      R"({"compute":{"vmSize":"Standard_D2s_v5","userData":"c2VjcmV0","tagsList":[{"name":"owner","value":"hunter2"},)"
      R"({"name":"SkipGpuDriverInstall","value":"True"}]},"network":{"interface":[{"macAddress":"0022480A1B2C",)"
      R"("ipv4":{"ipAddress":[{"privateIpAddress":"10.0.0.4"}]},"ipv6":{"ipAddress":[]}}]}})");
  ASSERT_TRUE(facts);
  const std::string reduced = reduced_metadata(*facts);
  EXPECT_EQ(reduced.find("hunter2"), std::string::npos);
  EXPECT_EQ(reduced.find("c2VjcmV0"), std::string::npos);
  const auto again = node::parse_imds(reduced);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->primary_ipv4(), "10.0.0.4");
  EXPECT_EQ(again->vm_size, "Standard_D2s_v5");
  EXPECT_EQ(again->interfaces[0].mac, facts->interfaces[0].mac);
  EXPECT_EQ(again->tag("SkipGpuDriverInstall"), true);
}

TEST(ServingCertificate, IsSelfSignedForTheHost) {
  const auto pair = make_serving_certificate("aks-pool1-0");
  ASSERT_TRUE(pair);
  EXPECT_THAT(pair->key, testing::StartsWith("-----BEGIN PRIVATE KEY-----"));
  EXPECT_THAT(pair->certificate, testing::StartsWith("-----BEGIN CERTIFICATE-----"));
  EXPECT_FALSE(make_serving_certificate("a,DNS:evil"));
  EXPECT_FALSE(make_serving_certificate(""));
}

}  // namespace
}  // namespace sunup::plan
