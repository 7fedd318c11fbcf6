#include "render/custom_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/node_paths.h"
#include "render/gzip.h"
#include "render/test_custom_data.h"
#include "render/vmss.h"

namespace sunup::render {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

RC_GTEST_PROP(CustomData, IsPlainAsciiWhateverTheConfigHolds, ()) {
  const auto data = custom_data(nasty_config(), {.compression = Compression::kNever});
  if (!data) return;
  for (const char c : *data) RC_ASSERT((c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t');
}

RC_GTEST_PROP(CustomData, HasOneStartAndOneEndOfEachPart, ()) {
  const auto data = custom_data(nasty_config(), {.compression = Compression::kNever});
  if (!data) return;
  const size_t at = data->find("boundary=\"") + 10;
  const std::string boundary = data->substr(at, data->find('"', at) - at);
  size_t count = 0;
  for (size_t found = data->find("--" + boundary); found != std::string::npos;
       found = data->find("--" + boundary, found + 1))
    ++count;
  RC_ASSERT(count == 3U);
}

TEST(CustomData, IsTheSameForTheSameConfigHoweverItWasPutTogether) {
  for (const CustomDataForm form : kForms) {
    Configuration other;
    (*other.mutable_enabled_features())["A_FIRST"] = "$(reboot) `id` \"x\" 'y' \\";
    other.MergeFrom(small_config());
    for (const Compression compression : {Compression::kNever, Compression::kAlways}) {
      EXPECT_EQ(*custom_data(small_config(), {.form = form, .compression = compression}),
                *custom_data(other, {.form = form, .compression = compression}));
    }
  }
}

TEST(CustomData, ForCloudInitIsABoothookAndACloudConfig) {
  EXPECT_THAT(
      *custom_data(small_config()),
      AllOf(HasSubstr("\r\nContent-Type: text/cloud-boothook\r\nMime-Version: 1.0\r\n\r\n#cloud-boothook\n#!/bin/sh\n"),
            HasSubstr("\r\nContent-Type: text/cloud-config\r\nMime-Version: 1.0\r\n\r\n#cloud-config\n")));
}

TEST(CustomData, WithoutFeaturesHasNoFeaturesFile) {
  Configuration config = small_config();
  config.clear_enabled_features();
  for (const CustomDataForm form : kForms) {
    EXPECT_THAT(*custom_data(config, {.form = form}), Not(HasSubstr("enabled_features")));
  }
}

TEST(CustomData, ForFlatcarIsIgnition330ThatStartsTheController) {
  const json document = json::parse(*custom_data(small_config(), {.form = CustomDataForm::kIgnition}));
  EXPECT_EQ(document["ignition"]["version"], "3.3.0");
  ASSERT_THAT(document["storage"]["files"], SizeIs(2));
  for (const json& file : document["storage"]["files"]) EXPECT_EQ(file["mode"], 0600);
  EXPECT_EQ(document["systemd"]["units"][0]["name"], "aks-node-controller.service");
  EXPECT_EQ(document["systemd"]["units"][0]["enabled"], true);
}

TEST(CustomDataWithResults, WithoutThemHasNoSuchFile) {
  for (const CustomDataForm form : kForms) {
    const std::string data = *custom_data(small_config(), {.form = form});
    EXPECT_THAT(data, Not(HasSubstr("results")));
  }
}

TEST(CustomDataWithHooks, WithoutThemHasNoSuchDirectory) {
  for (const CustomDataForm form : kForms) {
    const std::string data = *custom_data(small_config(), {.form = form});
    EXPECT_THAT(data, Not(HasSubstr("steps.d")));
  }
}

// The name becomes part of a path, also in a shell script.
TEST(CustomDataWithHooks, RefusesNamesThatAreNoneAndNamesThatOccurTwice) {
  for (const char* name : {"", ".hidden", "-x", "../../root/x", "a b", "a\nb", "$(reboot)", "Site"}) {
    const auto data = custom_data(small_config(), {.hooks = {{name, "{}"}}});
    ASSERT_FALSE(data) << name;
    EXPECT_THAT(data.error().what, HasSubstr("is not the name of a hook"));
  }
  const auto twice = custom_data(small_config(), {.hooks = {kTwoHooks[0], kTwoHooks[0]}});
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().what, "the hook site.disk occurs twice");
}

TEST(CustomDataWithHooks, TheirFilesAreInOneDirectory) {
  EXPECT_EQ(hook_path("site.disk"), "/etc/aks-node-controller/steps.d/site.disk.json");
}

TEST(CustomData, ThatFitsIsNotPacked) {
  EXPECT_FALSE(is_gzip(*custom_data(small_config())));
}

TEST(CustomDataWithResults, TooBigNamesTheCa) {
  Configuration config = small_config();
  config.add_custom_ca_certs(noise(90 << 10));
  const auto data = custom_data(config, {.results = kResults});
  ASSERT_FALSE(data);
  EXPECT_THAT(data.error().hint, AllOf(HasSubstr("custom_ca_certs (92160 bytes), "),
                                       HasSubstr("the CA of the address for results (59 bytes)")));
}

TEST(CustomDataWithHooks, TooBigNamesThem) {
  const auto data = custom_data(small_config(), {.hooks = {{"site.large", noise(90 << 10)}}});
  ASSERT_FALSE(data);
  EXPECT_THAT(data.error().hint, HasSubstr("the hooks (92160 bytes)"));
}

TEST(CustomData, TooBigSaysByHowMuchAndWhichFieldsAreTheBiggest) {
  Configuration config = small_config();
  config.add_custom_ca_certs(noise(90 << 10));
  config.mutable_auth_config()->set_service_principal_secret("do-not-print-me");
  for (const CustomDataForm form : kForms) {
    const auto data = custom_data(config, {.form = form});
    ASSERT_FALSE(data);
    EXPECT_THAT(data.error().what,
                AllOf(HasSubstr("custom data has "), HasSubstr(" more than the 65535 that Azure accepts")));
    EXPECT_THAT(data.error().hint, HasSubstr("custom_ca_certs (92160 bytes), "));
    EXPECT_THAT(data.error().hint, Not(HasSubstr("do-not-print-me")));
  }
}

TEST(CustomData, MayBeExactlyTheLimit) {
  // Three bytes of text become four of base64, so the largest accepted document may be a few bytes below the limit.
  Configuration config;
  config.set_version("v1");
  size_t biggest = 0;
  for (size_t fits = 40000, fails = 60000; fails - fits > 1;) {
    const size_t middle = (fits + fails) / 2;
    config.set_message_of_the_day(std::string(middle, 'x'));
    const auto data = custom_data(config, {.form = CustomDataForm::kWriteFiles, .compression = Compression::kNever});
    (data ? fits : fails) = middle;
    if (data) biggest = std::max(biggest, data->size());
  }
  EXPECT_GT(biggest, kMaxCustomDataBytes - 8);
  EXPECT_LE(biggest, kMaxCustomDataBytes);
}

TEST(CustomData, FormFollowsTheOperatingSystem) {
  for (const char* os : {"ubuntu2204", "Ubuntu2404", "azurelinux3", "azurelinux-osguard", "osguard", "mariner2"}) {
    EXPECT_EQ(*form_for_os(os), CustomDataForm::kBoothook) << os;
  }
  for (const char* os : {"flatcar", "acl", "Flatcar-stable"})
    EXPECT_EQ(*form_for_os(os), CustomDataForm::kIgnition) << os;
  EXPECT_FALSE(form_for_os("windows2022"));
  EXPECT_FALSE(form_for_os(""));
}

TEST(VmssModel, HasCustomDataAndTheExtensionThatWaits) {
  const json model = json::parse(*vmss_model(small_config()));
  EXPECT_EQ(base64_decode(model["osProfile"]["customData"].get<std::string>()), *custom_data(small_config()));
  const json& extension = model["extensionProfile"]["extensions"][0];
  EXPECT_EQ(extension["properties"]["type"], "CustomScript");
  EXPECT_EQ(extension["properties"]["protectedSettings"]["commandToExecute"], kCseCommand);
}

// Otherwise the client would replace nothing, and the node would get the template.
TEST(CustomDataWithPlaceholder, ThatTheConfigDoesNotContainIsRefused) {
  for (const CustomDataForm form : {CustomDataForm::kBoothook, CustomDataForm::kIgnition}) {
    const auto data = custom_data(config_with_placeholder(""), {.form = form, .placeholder = "{{.Token}}"});
    ASSERT_FALSE(data);
    EXPECT_THAT(data.error().what, HasSubstr("does not contain the placeholder \"{{.Token}}\""));
  }
}

TEST(CustomDataWithPlaceholder, IsNeverCompressed) {
  EXPECT_FALSE(
      custom_data(config_with_placeholder(std::string(kMaxCustomDataBytes, 'x')), {.placeholder = kPlaceholder}));
  EXPECT_FALSE(
      custom_data(config_with_placeholder(""), {.compression = Compression::kAlways, .placeholder = kPlaceholder}));
  EXPECT_FALSE(
      custom_data(config_with_placeholder(""), {.form = CustomDataForm::kWriteFiles, .placeholder = kPlaceholder}));
}

}  // namespace
}  // namespace sunup::render
