#include "fleet/sources/instance_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/sources/crd_rules.h"

namespace sunup::fleet {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(InstanceTypes, AreJudgedFieldByField) {
  const auto said = [](const char* text, Severity severity) {
    Findings findings;
    check_instance_types({json::parse(text), {}, ""}, findings);
    return describe(findings, severity);
  };
  EXPECT_THAT(said(R"({"name": "a", "vCPUs": "many"})", Severity::kError), HasSubstr("vCPUs: must be a number"));
  EXPECT_THAT(said(R"({"name": "a", "encryptionAtHost": "maybe"})", Severity::kError),
              HasSubstr("must be true or false"));
  EXPECT_THAT(said(R"([{"name": "a", "arch": "riscv"}])", Severity::kError), HasSubstr("[0].arch: is 'riscv'"));
  EXPECT_THAT(said(R"({"name": "a", "vCPU": 4})", Severity::kWarning), HasSubstr("did you mean vCPUs?"));
  EXPECT_THAT(said(R"([{"name": "a"}, {"name": "A"}])", Severity::kError), HasSubstr("a is described twice"));
  EXPECT_THAT(
      said(R"({"name": "a", "capabilities": [{"name": "CpuArchitectureType", "value": "Riscv"}]})", Severity::kError),
      StartsWith("capabilities.CpuArchitectureType"));
}

TEST(InstanceTypes, AreJudgedAlsoWhereAPlaceIsNoText) {
  const json strange = {{"name", "a"}, {"locations", {"\xff"}}};
  Findings findings;
  check_instance_types({json::array({strange, strange}), {}, ""}, findings);
  EXPECT_THAT(describe(findings, Severity::kError), HasSubstr("a is described twice"));
}

TEST(InstanceTypes, OfAzuresOwnListMayHaveNamesNobodyReadsAndASizeForEachLocation) {
  Findings findings;
  check_instance_types({json::parse(R"({"value": [
      {"name": "a", "tier": "Standard", "locations": ["eastus"], "capabilities": [{"name": "vCPUs", "value": "4"},
       {"name": "RdmaEnabled", "value": "False"}]},
      {"name": "a", "tier": "Standard", "locations": ["westus"], "capabilities": []}]})"),
                        {},
                        ""},
                       findings);
  EXPECT_THAT(findings, IsEmpty());
}

}  // namespace
}  // namespace sunup::fleet
