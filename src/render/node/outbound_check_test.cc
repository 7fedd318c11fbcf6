#include "render/node/outbound_check.h"

#include <gtest/gtest.h>

namespace sunup::render::node {
namespace {

TEST(OutboundCheck, UnderstandsTheKnownForms) {
  const auto check = outbound_check("curl -v --insecure --proxy-insecure https://mcr.microsoft.com/v2/");
  ASSERT_TRUE(check && *check);
  EXPECT_EQ((*check)->url, "https://mcr.microsoft.com/v2/");
  EXPECT_FALSE((*check)->verifies_certificate);
  EXPECT_TRUE((*outbound_check("curl -v https://myregistry.azurecr.io/v2/"))->verifies_certificate);
}

TEST(OutboundCheck, NoCommandMeansNoCheck) {
  EXPECT_FALSE(outbound_check("")->has_value());
  EXPECT_FALSE(outbound_check("  \n")->has_value());
}

TEST(OutboundCheck, AnythingElseIsRefused) {
  for (const char* command : {"wget https://x", "curl", "curl -o /etc/passwd https://x", "curl https://x; reboot",
                              "curl https://a https://b", "curl https://$(id)", "curl file:///etc/shadow"}) {
    EXPECT_FALSE(outbound_check(command)) << command;
  }
}

}  // namespace
}  // namespace sunup::render::node
