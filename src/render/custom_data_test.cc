#include "render/custom_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "base/base64.h"
#include "base/node_paths.h"
#include "contract/write.h"
#include "render/cse_command.h"
#include "render/gzip.h"
#include "render/mime.h"
#include "render/vmss.h"

namespace sunup::render {
namespace {

using aksnodeconfig::v1::Configuration;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr CustomDataForm kForms[] = {CustomDataForm::kBoothook, CustomDataForm::kIgnition, CustomDataForm::kWriteFiles};

Configuration small_config() {
  Configuration config;
  config.set_version("v1");
  config.set_kubernetes_version("1.33.1");
  (*config.mutable_enabled_features())["NATIVE_PROVISIONING"] = "true";
  (*config.mutable_enabled_features())["A_FIRST"] = "$(reboot) `id` \"x\" 'y' \\";
  return config;
}

// Strings that could break a shell, a here-document, MIME, YAML or JSON.
const std::vector<std::string> kNasty = {"'; reboot; '",       "$(reboot)",
                                         "`reboot`",           "a\nEOF\nreboot\n",
                                         "\nSUNUP\n",          "--sunup-0000000000",
                                         "\r\n--b\r\n\r\n",    "\"}],\"x\":[{\"",
                                         "Grüße 🌅 \u2028",    "%s%n%d",
                                         "\t\v\f\x01\x7f",     "#cloud-config\nruncmd: [reboot]\n",
                                         "Content-Type: text", "${HOME}",
                                         "!!binary |",         std::string(300, '\n')};

// The contract requires UTF-8 without NUL, which rapidcheck's random strings are not.
std::string as_text(std::string bytes) {
  for (char& c : bytes) {
    if (static_cast<unsigned char>(c) >= 0x80 || c == '\0') c = '?';
  }
  return bytes;
}

std::string nasty_text() {
  std::string text;
  for (const auto& piece : *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kNasty))) text += piece;
  return text + as_text(*rc::gen::string<std::string>());
}

Configuration nasty_config() {
  Configuration config;
  config.set_version("v1");
  config.set_message_of_the_day(nasty_text());
  config.set_outbound_command(nasty_text());
  config.mutable_auth_config()->set_service_principal_secret(nasty_text());
  config.add_custom_ca_certs(nasty_text());
  (*config.mutable_enabled_features())["F"] = nasty_text();
  (*config.mutable_enabled_features())[nasty_text()] = "x";
  return config;
}

RC_GTEST_PROP(CustomData, CarriesAnyConfigByteForByteInEveryForm, ()) {
  const Configuration config = nasty_config();
  for (const CustomDataForm form : kForms) {
    for (const Compression compression : {Compression::kNever, Compression::kAlways}) {
      const auto data = custom_data(config, {.form = form, .compression = compression});
      if (!data) continue;  // too large without gzip; another property tests that
      const auto content = read_custom_data(*data);
      RC_ASSERT(content.ok());
      RC_ASSERT(content->form == form);
      RC_ASSERT(content->files.config_json == contract::to_json(config));
    }
  }
}

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
  RC_ASSERT(parts_of(*data).size() == 2U);
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
  const auto parts = parts_of(*custom_data(small_config()));
  ASSERT_THAT(parts, SizeIs(2));
  EXPECT_EQ(parts[0].type, "text/cloud-boothook");
  EXPECT_TRUE(parts[0].body.starts_with("#cloud-boothook\n#!/bin/sh\n"));
  EXPECT_EQ(parts[1].type, "text/cloud-config");
  EXPECT_TRUE(parts[1].body.starts_with("#cloud-config\n"));
}

TEST(CustomData, FeaturesAreSortedAndOnlyThoseTheFileCanHold) {
  Configuration config = small_config();
  auto& features = *config.mutable_enabled_features();
  features["9LIVES"] = "x";
  features["A-B"] = "x";
  features[""] = "x";
  features["NEW_LINE"] = "a\nPATH=/tmp";
  features["RETURN"] = "a\rb";
  features["_"] = "";
  const auto content = read_custom_data(*custom_data(config));
  EXPECT_EQ(content->files.features, "A_FIRST=$(reboot) `id` \"x\" 'y' \\\nNATIVE_PROVISIONING=true\n_=\n");
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

const ResultService kResults{.url = "https://sunup.example:8443",
                             .ca = "-----BEGIN CERTIFICATE-----\nTUlJ\n-----END CERTIFICATE-----\n"};

std::string unpacked(const std::string& data) {
  return is_gzip(data) ? *gunzip(data, 1u << 20) : data;
}

TEST(CustomDataWithResults, HasTheFileBeforeTheConfigInEveryForm) {
  for (const CustomDataForm form : kForms) {
    for (const Compression compression : {Compression::kNever, Compression::kAlways}) {
      const auto data = custom_data(small_config(), {.form = form, .compression = compression, .results = kResults});
      ASSERT_TRUE(data) << data.error().what;
      const std::string text = unpacked(*data);
      ASSERT_NE(text.find(paths::kResultService), text.npos);
      EXPECT_LT(text.find(paths::kResultService), text.find(paths::kNodeConfig));
      const auto content = read_custom_data(*data);
      ASSERT_TRUE(content) << content.error().what;
      const auto read = parse_result_service(content->files.results);
      ASSERT_TRUE(read) << read.error().what;
      EXPECT_EQ(*read, kResults);
      EXPECT_EQ(content->files.config_json, contract::to_json(small_config()));
      EXPECT_FALSE(content->files.features.empty());
    }
  }
}

TEST(CustomDataWithResults, WithoutThemHasNoSuchFile) {
  for (const CustomDataForm form : kForms) {
    const std::string data = *custom_data(small_config(), {.form = form});
    EXPECT_THAT(data, Not(HasSubstr("results")));
    EXPECT_EQ(read_custom_data(data)->files.results, "");
  }
}

TEST(CustomDataWithResults, TheFileHasNoCredential) {
  Configuration config = small_config();
  config.mutable_bootstrapping_config()->set_tls_bootstrapping_token("abcdef.0123456789abcdef");
  const auto content = read_custom_data(*custom_data(config, {.results = kResults}));
  const json file = json::parse(content->files.results);
  EXPECT_EQ(file, json({{"url", kResults.url}, {"ca", kResults.ca}}));
}

const std::vector<HookFile> kTwoHooks = {
    {"site.disk", "{\"argv\": [\"/bin/mount\"],\n \"purpose\": \"\u00e4 \nEOF\n\"}\n"},
    {"site.register", "{\"argv\": [\"/bin/register\"]}"}};

TEST(CustomDataWithHooks, HasTheirFilesBeforeTheConfigInEveryForm) {
  for (const CustomDataForm form : kForms) {
    for (const Compression compression : {Compression::kNever, Compression::kAlways}) {
      const auto data = custom_data(
          small_config(), {.form = form, .compression = compression, .results = kResults, .hooks = kTwoHooks});
      ASSERT_TRUE(data) << data.error().what;
      const std::string text = unpacked(*data);
      for (const HookFile& hook : kTwoHooks) {
        ASSERT_NE(text.find(hook_path(hook.name)), text.npos);
        EXPECT_LT(text.find(hook_path(hook.name)), text.find(paths::kNodeConfig));
      }
      const auto content = read_custom_data(*data);
      ASSERT_TRUE(content) << content.error().what;
      EXPECT_EQ(content->files.hooks, kTwoHooks);
      EXPECT_EQ(content->files.config_json, contract::to_json(small_config()));
      EXPECT_EQ(*parse_result_service(content->files.results), kResults);
      EXPECT_FALSE(content->files.features.empty());
    }
  }
}

TEST(CustomDataWithHooks, WithoutThemHasNoSuchDirectory) {
  for (const CustomDataForm form : kForms) {
    const std::string data = *custom_data(small_config(), {.form = form});
    EXPECT_THAT(data, Not(HasSubstr("steps.d")));
    EXPECT_THAT(read_custom_data(data)->files.hooks, SizeIs(0));
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

TEST(CustomDataWithHooks, PathsOfDeclarationsAreRecognised) {
  EXPECT_EQ(hook_path("site.disk"), "/etc/aks-node-controller/steps.d/site.disk.json");
  EXPECT_EQ(hook_name_in(hook_path("site.disk")), "site.disk");
  for (const char* path : {"", "/etc/aks-node-controller/steps.d", "/etc/aks-node-controller/steps.d/.json",
                           "/etc/aks-node-controller/steps.d/Site.json", "/etc/aks-node-controller/steps.d/site",
                           "/etc/aks-node-controller/steps.d/a/b.json", "/etc/aks-node-controller/steps.dx/a.json",
                           "/other/etc/aks-node-controller/steps.d/a.json"})
    EXPECT_EQ(hook_name_in(path), "") << path;
}

// Random bytes that gzip cannot compress.
std::string noise(size_t bytes) {
  constexpr std::string_view kLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/";
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same noise in every run
  std::string text;
  while (text.size() < bytes) text += kLetters[random() % kLetters.size()];
  return text;
}

TEST(CustomData, OfA60KiBValueIsPackedToFit) {
  Configuration config = small_config();
  config.add_custom_ca_certs(noise(60 << 10));
  for (const CustomDataForm form : kForms) {
    EXPECT_FALSE(custom_data(config, {.form = form, .compression = Compression::kNever}));
    const auto data = custom_data(config, {.form = form});
    ASSERT_TRUE(data) << data.error().what;
    EXPECT_LE(data->size(), kMaxCustomDataBytes);
    EXPECT_EQ(read_custom_data(*data)->files.config_json, contract::to_json(config));
  }
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

TEST(CustomData, CanEmbedTheConfigsOwnBytes) {
  const std::string text = "{ \"version\":\"v1\",\n\t\"from_the_future\": 1 }";
  const auto content = read_custom_data(*custom_data(small_config(), {.verbatim = text}));
  EXPECT_EQ(content->files.config_json, text);
}

TEST(CustomData, KeepsWhatANewerControlPlanePutIntoTheConfig) {
  const auto loaded = contract::load_text(
      R"({"version":"v1","kubelet_config":{"knob_of_tomorrow":{"on":true}},"from_the_future":1})", "f");
  for (const auto form : {CustomDataForm::kBoothook, CustomDataForm::kIgnition, CustomDataForm::kWriteFiles}) {
    const auto data = custom_data(loaded->config, {.form = form, .unknown = loaded->unknown});
    ASSERT_TRUE(data);
    const json config = json::parse(read_custom_data(*data)->files.config_json);
    EXPECT_EQ(config["from_the_future"], 1);
    EXPECT_EQ(config["kubelet_config"]["knob_of_tomorrow"]["on"], true);
  }
}

TEST(CustomData, OfOthersIsRefusedWithoutACrash) {
  for (const std::string& text : kNasty) EXPECT_FALSE(read_custom_data(text));
  for (const char* text : {"", "{}", "[]", "{\"storage\":{\"files\":[1]}}", "\x1f\x8b", "#cloud-config\n",
                           "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"b\"\r\n\r\n--b\r\n"}) {
    EXPECT_FALSE(read_custom_data(text)) << text;
  }
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

constexpr char kPlaceholder[] = "{{.TokenID}}.{{.TokenSecret}}";

Configuration config_with_placeholder(const std::string& message) {
  Configuration config = small_config();
  config.mutable_bootstrapping_config()->set_tls_bootstrapping_token(kPlaceholder);
  config.set_message_of_the_day(message);
  return config;
}

// A client replaces the text without knowing the form, and the node reads the replacement.
TEST(CustomDataWithPlaceholder, HasItInPlainText) {
  for (const CustomDataForm form : {CustomDataForm::kBoothook, CustomDataForm::kIgnition}) {
    std::string data = *custom_data(config_with_placeholder("Grüße 🌅"), {.form = form, .placeholder = kPlaceholder});
    EXPECT_TRUE(std::ranges::all_of(data, [](unsigned char c) { return c < 0x80; }));
    const size_t at = data.find(kPlaceholder);
    ASSERT_NE(at, data.npos);
    EXPECT_EQ(data.find(kPlaceholder, at + 1), data.npos);
    data.replace(at, sizeof(kPlaceholder) - 1, "abcdef.0123456789abcdef");
    const auto content = read_custom_data(data);
    ASSERT_TRUE(content) << content.error().what;
    EXPECT_EQ(content->form, form);
    const auto loaded = contract::load_text(content->files.config_json, "config");
    ASSERT_TRUE(loaded) << loaded.error().what;
    EXPECT_EQ(loaded->config.bootstrapping_config().tls_bootstrapping_token(), "abcdef.0123456789abcdef");
    EXPECT_EQ(loaded->config.message_of_the_day(), "Grüße 🌅");
    EXPECT_FALSE(content->files.features.empty());
  }
}

RC_GTEST_PROP(CustomDataWithPlaceholder, AnyTextSurvives, ()) {
  const std::string message = nasty_text();
  for (const CustomDataForm form : {CustomDataForm::kBoothook, CustomDataForm::kIgnition}) {
    const auto data = custom_data(config_with_placeholder(message), {.form = form, .placeholder = kPlaceholder});
    if (!data) continue;  // too large
    const auto content = read_custom_data(*data);
    RC_ASSERT(static_cast<bool>(content));
    RC_ASSERT(contract::load_text(content->files.config_json, "config")->config.message_of_the_day() == message);
  }
}

TEST(CustomDataWithPlaceholder, MayHaveAnAddressForResults) {
  for (const CustomDataForm form : {CustomDataForm::kBoothook, CustomDataForm::kIgnition}) {
    const auto data =
        custom_data(config_with_placeholder(""), {.form = form, .placeholder = kPlaceholder, .results = kResults});
    ASSERT_TRUE(data) << data.error().what;
    EXPECT_THAT(*data, HasSubstr(kPlaceholder));
    EXPECT_LT(data->find(paths::kResultService), data->find(paths::kNodeConfig));
    const auto content = read_custom_data(*data);
    ASSERT_TRUE(content) << content.error().what;
    EXPECT_EQ(*parse_result_service(content->files.results), kResults);
  }
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
