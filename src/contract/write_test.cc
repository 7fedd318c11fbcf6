#include "contract/write.h"

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "contract/test_any_config.h"

namespace sunup::contract {
namespace {

Configuration config_of(const std::string& text) {
  auto loaded = load_text(text, "f");
  EXPECT_TRUE(loaded.ok()) << (loaded ? "" : loaded.error().what);
  return loaded ? loaded->config : Configuration();
}

TEST(Write, IsCanonical) {
  EXPECT_EQ(to_json(config_of(R"({"enabledFeatures":{"b":"2","a":"1"},"vmSize":"x\ty","version":"v1","isVhd":false,
      "networkConfig":{"networkPlugin":2,"networkPolicy":77},"customCaCerts":["a"],"authConfig":{},"isKata":false,
      "clusterConfig":{"cloudProviderConfig":{"backoffExponent":1.50,"backoffJitter":"NaN"}}})")),
            R"({
  "version": "v1",
  "cluster_config": {
    "cloud_provider_config": {
      "backoff_exponent": 1.5,
      "backoff_jitter": "NaN"
    }
  },
  "auth_config": {},
  "network_config": {
    "network_plugin": "NETWORK_PLUGIN_AZURE",
    "network_policy": 77
  },
  "vm_size": "x\ty",
  "is_vhd": false,
  "custom_ca_certs": [
    "a"
  ],
  "enabled_features": {
    "a": "1",
    "b": "2"
  }
}
)");
}

TEST(Write, IsReadBackWithoutADifference) {
  EXPECT_TRUE(rc::check([] {
    const Configuration config = any_config();
    const std::string text = to_json(config);
    const auto back = load_text(text, "f");
    RC_ASSERT(back.ok());
    RC_ASSERT(to_json(back->config) == text);
    RC_ASSERT(google::protobuf::util::MessageDifferencer::Equals(back->config, config));
  }));
}

TEST(Write, CarriesWhatTheContractDoesNotKnowToItsPlace) {
  const std::string text = R"({ "zz" : [ 1 , {"b c" : "d \" e", "a":2.50} ], "version":"v1", "aa": null,
      "localDnsProfile": {"vnetDnsOverrides": {"x\"y": {"future": true}}},
      "networkConfig": {"networkPlugin": "NETWORK_PLUGIN_OF_TOMORROW", "networkPolicy": 77},
      "authConfig": {"new_\u0061uth": {}, "twice": 1, "twice": 2}})";
  const auto loaded = load_text(text, "f");
  ASSERT_TRUE(loaded);
  const std::string written = to_json(loaded->config, loaded->unknown);
  EXPECT_EQ(written, R"({
  "version": "v1",
  "auth_config": {
    "new_auth": {},
    "twice": 2
  },
  "network_config": {
    "network_policy": 77,
    "network_plugin": "NETWORK_PLUGIN_OF_TOMORROW"
  },
  "local_dns_profile": {
    "vnet_dns_overrides": {
      "x\"y": {
        "future": true
      }
    }
  },
  "aa": null,
  "zz": [1,{"a":2.50,"b c":"d \" e"}]
}
)");
  const auto again = load_text(written, "f");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->unknown, loaded->unknown);
  EXPECT_EQ(to_json(again->config, again->unknown), written);
}

TEST(Write, DependsOnNoWhiteSpaceOrOrderOfTheText) {
  const auto one = load_text(R"({"version":"v1","b":[1,2],"a":{"x":1},"authConfig":{"z":1,"y":2}})", "f");
  const auto other = load_text(R"({"auth_config" : {"y" : 2, "z" : 1},
      "a": { "x" : 1 }, "b": [ 1, 2 ],
      "version": "v1"})",
                               "f");
  EXPECT_EQ(to_json(one->config, one->unknown), to_json(other->config, other->unknown));
}

}  // namespace
}  // namespace sunup::contract
