#include "plan/unused_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunup::plan {
namespace {

using aksnodeconfig::v1::Configuration;

std::vector<std::string_view> named(const Configuration& config) {
  std::vector<std::string_view> paths;
  for (const UnusedField& field : unused_fields(config)) paths.push_back(field.path);
  return paths;
}

TEST(UnusedFields, AreNamedWhenTheConfigSetsThem) {
  Configuration config;
  EXPECT_THAT(named(config), testing::IsEmpty());
  config.mutable_containerd_config()->set_containerd_package_url("https://example/containerd.deb");
  config.mutable_runc_config()->set_runc_package_url("https://example/runc.deb");
  config.set_kube_proxy_url("nobody reads it");
  EXPECT_THAT(named(config),
              testing::ElementsAre("containerd_config.containerd_package_url", "runc_config.runc_package_url"));
  config.mutable_containerd_config()->set_containerd_package_url("");
  EXPECT_THAT(named(config), testing::ElementsAre("runc_config.runc_package_url"));
}

}  // namespace
}  // namespace sunup::plan
