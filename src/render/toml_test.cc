#include "render/toml.h"

#include <gtest/gtest.h>

namespace sunup::render {
namespace {

TEST(TomlWriter, WritesTablesInOrderWithBareKeysWhereTheyMayBe) {
  TomlWriter toml;
  toml.number("oom_score", -999);
  toml.table({"plugins", "io.containerd.grpc.v1.cri", "registry.headers"});
  toml.list("X-Meta-Source-Client", {"azure/aks", "b"});
  toml.list("none", {});
  toml.table({"metrics"});
  toml.boolean("on", true);
  toml.text("", "empty key");
  EXPECT_EQ(std::move(toml).take(), R"(oom_score = -999

[plugins."io.containerd.grpc.v1.cri"."registry.headers"]
X-Meta-Source-Client = ["azure/aks", "b"]
none = []

[metrics]
on = true
"" = "empty key"
)");
}

TEST(TomlWriter, EscapesWhatWouldEndOrBreakAString) {
  TomlWriter toml;
  toml.text("k", "a\"b\\c\n\r\t\x01\x7f \xE2\x82\xAC");
  EXPECT_EQ(std::move(toml).take(), "k = \"a\\\"b\\\\c\\n\\r\\t\\u0001\\u007F \xE2\x82\xAC\"\n");
}

}  // namespace
}  // namespace sunup::render
