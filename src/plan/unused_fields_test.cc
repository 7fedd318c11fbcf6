#include "plan/unused_fields.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
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

TEST(UnusedFields, AreFieldsOfTheContract) {
  for (const UnusedField& field : all_unused_fields()) {
    const google::protobuf::Descriptor* message = Configuration::descriptor();
    std::string_view path = field.path;
    for (size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
      const auto* part = message->FindFieldByName(std::string(path.substr(0, dot)));
      ASSERT_NE(part, nullptr) << field.path;
      message = part->message_type();
      path.remove_prefix(dot + 1);
    }
    const auto* leaf = message->FindFieldByName(std::string(path));
    ASSERT_NE(leaf, nullptr) << field.path;
    EXPECT_EQ(leaf->type(), google::protobuf::FieldDescriptor::TYPE_STRING) << field.path;
    EXPECT_FALSE(field.why.empty());
  }
}

}  // namespace
}  // namespace sunup::plan
