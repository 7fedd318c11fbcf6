#include "contract/wire.h"

#include <gtest/gtest.h>

#include "aksnodeconfig/v1/configuration.pb.h"

namespace sunup::contract {
namespace {

using aksnodeconfig::v1::Configuration;

TEST(Wire, IsWhatProtobufReads) {
  WireWriter out;
  out.bytes(Configuration::kVersionFieldNumber, "v1");
  const size_t cluster = out.open(Configuration::kClusterConfigFieldNumber);
  out.close(cluster);
  const size_t auth = out.open(Configuration::kAuthConfigFieldNumber);
  out.bytes(aksnodeconfig::v1::AuthConfig::kTenantIdFieldNumber, std::string(1000, 't'));
  out.close(auth);
  out.bytes(Configuration::kCustomCaCertsFieldNumber, "");
  out.bytes(Configuration::kCustomCaCertsFieldNumber, "b");
  out.varint(Configuration::kCseTimeoutFieldNumber, static_cast<uint64_t>(int64_t{-5}));
  const size_t entry = out.open(Configuration::kEnabledFeaturesFieldNumber);
  out.bytes(kMapKey, "key");
  out.bytes(kMapValue, "value");
  out.close(entry);
  Configuration config;
  ASSERT_TRUE(config.ParseFromString(out.written()));
  EXPECT_EQ(config.version(), "v1");
  EXPECT_TRUE(config.has_cluster_config());
  EXPECT_FALSE(config.has_kubelet_config());
  EXPECT_EQ(config.auth_config().tenant_id(), std::string(1000, 't'));
  ASSERT_EQ(config.custom_ca_certs_size(), 2);
  EXPECT_EQ(config.custom_ca_certs(1), "b");
  EXPECT_EQ(config.cse_timeout(), -5);
  EXPECT_EQ(config.enabled_features().at("key"), "value");
}

TEST(Wire, IsReadAsItWasWritten) {
  WireWriter out;
  out.varint(1, 0);
  out.varint(2, ~uint64_t{0});
  out.fixed64(536870911, 0x0123456789abcdef);
  const size_t inner = out.open(16);
  out.bytes(3, "x");
  out.close(inner);
  WireReader in(out.written());
  WireField field;
  ASSERT_TRUE(in.next(field));
  EXPECT_EQ(field.number, 1);
  EXPECT_EQ(field.bits, 0u);
  ASSERT_TRUE(in.next(field));
  EXPECT_EQ(field.bits, ~uint64_t{0});
  ASSERT_TRUE(in.next(field));
  EXPECT_EQ(field.number, 536870911);
  EXPECT_EQ(field.bits, 0x0123456789abcdefu);
  ASSERT_TRUE(in.next(field));
  EXPECT_EQ(field.number, 16);
  EXPECT_FALSE(WireReader(field.bytes.substr(0, 2)).next(field));
  EXPECT_FALSE(in.next(field));
}

}  // namespace
}  // namespace sunup::contract
