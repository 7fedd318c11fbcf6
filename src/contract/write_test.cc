#include "contract/write.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "contract/fields.h"

namespace sunup::contract {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

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

TEST(Write, EscapesWhatJsonCannotHoldRaw) {
  EXPECT_EQ(json_string("\"\\\b\f\n\r\t\x01\x1f\x7f\u00e9</>"),
            "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\u00e9</>\"");
}

// Any config at all, made through the descriptors.
std::string some_text() {
  return *rc::gen::element<std::string>("", "a", "--max-pods", "\u00e9\u65e5\U0001F600", "x\ny\"\\\t\x01", "10.0.0.10",
                                        "{{.}}", "<&>\u2028", std::string(300, 'z'));
}

void fill(Message& message, const MessageFields& fields) {
  const auto* reflection = message.GetReflection();
  const auto set_scalar = [&](Message& to, const FieldDescriptor* field) {
    const auto* of = to.GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        of->SetString(&to, field, some_text());
        break;
      case FieldDescriptor::CPPTYPE_BOOL:
        of->SetBool(&to, field, *rc::gen::arbitrary<bool>());
        break;
      case FieldDescriptor::CPPTYPE_INT32:
        of->SetInt32(&to, field, *rc::gen::arbitrary<int32_t>());
        break;
      case FieldDescriptor::CPPTYPE_DOUBLE:
        of->SetDouble(&to, field, *rc::gen::arbitrary<double>());
        break;
      default:
        of->SetEnumValue(&to, field, *rc::gen::inRange(-2, 7));
    }
  };
  for (const Field& field : fields.all()) {
    if (!*rc::gen::weightedElement<bool>({{1, true}, {3, false}})) continue;
    if (field.map_value) {
      for (const std::string key : {"k", "\u00e9", "", "a.b/c"}) {
        if (*rc::gen::arbitrary<bool>()) continue;
        Message* entry = reflection->AddMessage(&message, field.descriptor);
        entry->GetReflection()->SetString(entry, field.descriptor->message_type()->map_key(), key);
        if (field.message) {
          fill(*entry->GetReflection()->MutableMessage(entry, field.map_value), *field.message);
        } else {
          set_scalar(*entry, field.map_value);
        }
      }
    } else if (field.descriptor->is_repeated()) {
      for (int i = *rc::gen::inRange(0, 4); i > 0; --i) reflection->AddString(&message, field.descriptor, some_text());
    } else if (field.message) {
      fill(*reflection->MutableMessage(&message, field.descriptor), *field.message);
    } else {
      set_scalar(message, field.descriptor);
    }
  }
}

TEST(Write, IsReadBackWithoutADifference) {
  EXPECT_TRUE(rc::check([] {
    Configuration config;
    fill(config, configuration_fields());
    config.set_version("v1");
    const std::string text = to_json(config);
    const auto back = load_text(text, "f");
    RC_ASSERT(back.ok());
    RC_ASSERT(to_json(back->config) == text);
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
