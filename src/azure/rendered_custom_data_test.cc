// The files that a node reads from rendered custom data are those of the config, whatever the config contains.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "azure/test_custom_data.h"
#include "base/node_paths.h"
#include "contract/load.h"
#include "contract/write.h"
#include "render/gzip.h"
#include "render/test_custom_data.h"

namespace sunup::azure {
namespace {

using nlohmann::json;
using render::Compression;
using render::Configuration;
using render::CustomDataForm;
using render::CustomDataOptions;
using testing::HasSubstr;

constexpr CustomDataForm kFormsWithPlaceholder[] = {CustomDataForm::kBoothook, CustomDataForm::kIgnition};

std::string config_in(std::string_view data) {
  return content_at(paths::kNodeConfig, data);
}

std::string unpacked(const std::string& data) {
  return render::is_gzip(data) ? *render::gunzip(data, 1u << 20) : data;
}

// The custom data of small_config() in every form, compressed and not, with `options` otherwise.
std::vector<std::string> in_every_form(CustomDataOptions options) {
  std::vector<std::string> all;
  for (const CustomDataForm form : render::kForms)
    for (const Compression compression : {Compression::kNever, Compression::kAlways}) {
      options.form = form;
      options.compression = compression;
      auto data = render::custom_data(render::small_config(), options);
      EXPECT_TRUE(data) << data.error().what;
      if (data) all.push_back(*std::move(data));
    }
  return all;
}

RC_GTEST_PROP(RenderedCustomData, CarriesAnyConfigByteForByteInEveryForm, ()) {
  const Configuration config = render::nasty_config();
  for (const CustomDataForm form : render::kForms) {
    for (const Compression compression : {Compression::kNever, Compression::kAlways}) {
      const auto data = render::custom_data(config, {.form = form, .compression = compression});
      if (!data) continue;  // too large without gzip; another property tests that
      RC_ASSERT(config_in(*data) == contract::to_json(config));
    }
  }
}

TEST(RenderedCustomData, WritesFilesForRootOnly) {
  for (const std::string& data : in_every_form({.results = render::kResults, .hooks = render::kTwoHooks})) {
    const auto read = read_custom_data(data);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->files.size(), 5u);
    for (const NodeFile& file : read->files) EXPECT_EQ(file.mode, 0600u) << file.path;
  }
}

TEST(RenderedCustomData, HasOnlyTheFeaturesThatTheFileCanHold) {
  Configuration config = render::small_config();
  auto& features = *config.mutable_enabled_features();
  features["9LIVES"] = "x";
  features["A-B"] = "x";
  features[""] = "x";
  features["NEW_LINE"] = "a\nPATH=/tmp";
  features["RETURN"] = "a\rb";
  features["_"] = "";
  EXPECT_EQ(content_at(paths::kFeatures, *render::custom_data(config)),
            "A_FIRST=$(reboot) `id` \"x\" 'y' \\\nNATIVE_PROVISIONING=true\n_=\n");
}

TEST(RenderedCustomData, HasTheAddressForResultsBeforeTheConfig) {
  for (const std::string& data : in_every_form({.results = render::kResults})) {
    const std::string text = unpacked(data);
    ASSERT_NE(text.find(paths::kResultService), text.npos);
    EXPECT_LT(text.find(paths::kResultService), text.find(paths::kNodeConfig));
    const auto read = render::parse_result_service(content_at(paths::kResultService, data));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(*read, render::kResults);
    EXPECT_EQ(config_in(data), contract::to_json(render::small_config()));
    EXPECT_NE(content_at(paths::kFeatures, data), "");
  }
}

TEST(RenderedCustomData, HasNoCredentialInTheFileForResults) {
  Configuration config = render::small_config();
  config.mutable_bootstrapping_config()->set_tls_bootstrapping_token("abcdef.0123456789abcdef");
  const std::string file =
      content_at(paths::kResultService, *render::custom_data(config, {.results = render::kResults}));
  EXPECT_EQ(json::parse(file), json({{"url", render::kResults.url}, {"ca", render::kResults.ca}}));
}

TEST(RenderedCustomData, HasHooksBeforeTheConfig) {
  for (const std::string& data : in_every_form({.results = render::kResults, .hooks = render::kTwoHooks})) {
    const std::string text = unpacked(data);
    for (const render::HookFile& hook : render::kTwoHooks) {
      const std::string path = render::hook_path(hook.name);
      ASSERT_NE(text.find(path), text.npos);
      EXPECT_LT(text.find(path), text.find(paths::kNodeConfig));
      EXPECT_EQ(content_at(path, data), hook.text);
    }
    EXPECT_EQ(config_in(data), contract::to_json(render::small_config()));
    EXPECT_EQ(*render::parse_result_service(content_at(paths::kResultService, data)), render::kResults);
    EXPECT_NE(content_at(paths::kFeatures, data), "");
  }
}

TEST(RenderedCustomData, OfA60KiBValueIsPackedToFit) {
  Configuration config = render::small_config();
  config.add_custom_ca_certs(render::noise(60 << 10));
  for (const CustomDataForm form : render::kForms) {
    EXPECT_FALSE(render::custom_data(config, {.form = form, .compression = Compression::kNever}));
    const auto data = render::custom_data(config, {.form = form});
    ASSERT_TRUE(data) << data.error().what;
    EXPECT_LE(data->size(), render::kMaxCustomDataBytes);
    EXPECT_EQ(config_in(*data), contract::to_json(config));
  }
}

TEST(RenderedCustomData, CanEmbedTheConfigsOwnBytes) {
  const std::string text = "{ \"version\":\"v1\",\n\t\"from_the_future\": 1 }";
  for (const std::string& data : in_every_form({.verbatim = text})) EXPECT_EQ(config_in(data), text);
}

TEST(RenderedCustomData, KeepsWhatANewerControlPlanePutIntoTheConfig) {
  const auto loaded = contract::load_text(
      R"({"version":"v1","kubelet_config":{"knob_of_tomorrow":{"on":true}},"from_the_future":1})", "f");
  for (const CustomDataForm form : render::kForms) {
    const auto data = render::custom_data(loaded->config, {.form = form, .unknown = loaded->unknown});
    ASSERT_TRUE(data);
    const json config = json::parse(config_in(*data));
    EXPECT_EQ(config["from_the_future"], 1);
    EXPECT_EQ(config["kubelet_config"]["knob_of_tomorrow"]["on"], true);
  }
}

// A client replaces the text without knowing the form, and the node reads the replacement.
TEST(RenderedCustomData, HasThePlaceholderInPlainText) {
  const std::string_view placeholder = render::kPlaceholder;
  for (const CustomDataForm form : kFormsWithPlaceholder) {
    std::string data =
        *render::custom_data(render::config_with_placeholder("Grüße 🌅"), {.form = form, .placeholder = placeholder});
    EXPECT_TRUE(std::ranges::all_of(data, [](unsigned char c) { return c < 0x80; }));
    const size_t at = data.find(placeholder);
    ASSERT_NE(at, data.npos);
    EXPECT_EQ(data.find(placeholder, at + 1), data.npos);
    data.replace(at, placeholder.size(), "abcdef.0123456789abcdef");
    const auto loaded = contract::load_text(config_in(data), "config");
    ASSERT_TRUE(loaded) << loaded.error().what;
    EXPECT_EQ(loaded->config.bootstrapping_config().tls_bootstrapping_token(), "abcdef.0123456789abcdef");
    EXPECT_EQ(loaded->config.message_of_the_day(), "Grüße 🌅");
    EXPECT_NE(content_at(paths::kFeatures, data), "");
  }
}

RC_GTEST_PROP(RenderedCustomData, WithAPlaceholderCarriesAnyText, ()) {
  const std::string message = render::nasty_text();
  for (const CustomDataForm form : kFormsWithPlaceholder) {
    const auto data = render::custom_data(render::config_with_placeholder(message),
                                          {.form = form, .placeholder = render::kPlaceholder});
    if (!data) continue;  // too large
    RC_ASSERT(contract::load_text(config_in(*data), "config")->config.message_of_the_day() == message);
  }
}

TEST(RenderedCustomData, WithAPlaceholderMayHaveAnAddressForResults) {
  for (const CustomDataForm form : kFormsWithPlaceholder) {
    const auto data =
        render::custom_data(render::config_with_placeholder(""),
                            {.form = form, .placeholder = render::kPlaceholder, .results = render::kResults});
    ASSERT_TRUE(data) << data.error().what;
    EXPECT_THAT(*data, HasSubstr(render::kPlaceholder));
    EXPECT_LT(data->find(paths::kResultService), data->find(paths::kNodeConfig));
    EXPECT_EQ(*render::parse_result_service(content_at(paths::kResultService, *data)), render::kResults);
  }
}

}  // namespace
}  // namespace sunup::azure
