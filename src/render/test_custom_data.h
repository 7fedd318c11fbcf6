// Configs and options for tests of custom data.
#pragma once

#include <rapidcheck/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "render/custom_data.h"

namespace sunup::render {

using aksnodeconfig::v1::Configuration;

inline constexpr CustomDataForm kForms[] = {CustomDataForm::kBoothook, CustomDataForm::kIgnition,
                                            CustomDataForm::kWriteFiles};

inline Configuration small_config() {
  Configuration config;
  config.set_version("v1");
  config.set_kubernetes_version("1.33.1");
  (*config.mutable_enabled_features())["NATIVE_PROVISIONING"] = "true";
  (*config.mutable_enabled_features())["A_FIRST"] = "$(reboot) `id` \"x\" 'y' \\";
  return config;
}

// Strings that could break a shell, a here-document, MIME, YAML or JSON.
inline const std::vector<std::string> kNasty = {"'; reboot; '",       "$(reboot)",
                                                "`reboot`",           "a\nEOF\nreboot\n",
                                                "\nSUNUP\n",          "--sunup-0000000000",
                                                "\r\n--b\r\n\r\n",    "\"}],\"x\":[{\"",
                                                "Grüße 🌅 \u2028",    "%s%n%d",
                                                "\t\v\f\x01\x7f",     "#cloud-config\nruncmd: [reboot]\n",
                                                "Content-Type: text", "${HOME}",
                                                "!!binary |",         std::string(300, '\n')};

// The contract requires UTF-8 without NUL, which rapidcheck's random strings are not.
inline std::string as_text(std::string bytes) {
  for (char& c : bytes) {
    if (static_cast<unsigned char>(c) >= 0x80 || c == '\0') c = '?';
  }
  return bytes;
}

inline std::string nasty_text() {
  std::string text;
  for (const auto& piece : *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kNasty))) text += piece;
  return text + as_text(*rc::gen::string<std::string>());
}

inline Configuration nasty_config() {
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

inline const ResultService kResults{.url = "https://sunup.example:8443",
                                    .ca = "-----BEGIN CERTIFICATE-----\nTUlJ\n-----END CERTIFICATE-----\n"};

inline const std::vector<HookFile> kTwoHooks = {
    {"site.disk", "{\"argv\": [\"/bin/mount\"],\n \"purpose\": \"\u00e4 \nEOF\n\"}\n"},
    {"site.register", "{\"argv\": [\"/bin/register\"]}"}};

// Random bytes that gzip cannot compress.
inline std::string noise(size_t bytes) {
  constexpr std::string_view kLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/";
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same noise in every run
  std::string text;
  while (text.size() < bytes) text += kLetters[random() % kLetters.size()];
  return text;
}

inline constexpr char kPlaceholder[] = "{{.TokenID}}.{{.TokenSecret}}";

inline Configuration config_with_placeholder(const std::string& message) {
  Configuration config = small_config();
  config.mutable_bootstrapping_config()->set_tls_bootstrapping_token(kPlaceholder);
  config.set_message_of_the_day(message);
  return config;
}

}  // namespace sunup::render
