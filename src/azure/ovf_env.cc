#include "azure/ovf_env.h"

#include <fmt/format.h>

#include "azure/names.h"
#include "azure/xml.h"
#include "base/base64.h"
#include "base/text.h"

namespace sunup::azure {
namespace {

constexpr size_t kMostKeys = 100;

// A child element that may be absent but must not occur twice.
Result<const XmlElement*> only(const XmlElement& parent, std::string_view name) {
  const XmlElement* found = nullptr;
  for (const XmlElement& one : parent.children) {
    if (one.name != name) continue;
    if (found != nullptr) return Error(fmt::format("two elements {} in {}", name, parent.name));
    found = &one;
  }
  return found;
}

Result<std::optional<bool>> flag(const XmlElement& parent, std::string_view name) {
  const auto text = parent.text_of(name);
  if (!text) return text.error();
  if (text->empty()) return std::optional<bool>();
  if (equal_ignoring_case(*text, "true")) return std::optional(true);
  if (equal_ignoring_case(*text, "false")) return std::optional(false);
  return Error(fmt::format("{} is neither true nor false", name));
}

Result<void> read_keys(const XmlElement& set, OvfEnvironment& into) {
  const XmlElement* ssh = set.child("SSH");
  const XmlElement* keys = ssh == nullptr ? nullptr : ssh->child("PublicKeys");
  if (keys == nullptr) return {};
  if (keys->children.size() > kMostKeys) return Error("more than 100 ssh public keys");
  for (const XmlElement& key : keys->children) {
    const auto value = key.text_of("Value");
    if (!value) return value.error();
    if (value->empty())
      into.keys_by_fingerprint = true;
    else
      into.public_keys.push_back(*value);
  }
  return {};
}

Result<void> read_linux_set(const XmlElement& set, OvfEnvironment& into) {
  auto host_name = set.text_of("HostName");
  auto user_name = set.text_of("UserName");
  auto password = set.text_of("UserPassword");
  auto encoded = set.text_of("CustomData");
  for (const auto* text : {&host_name, &user_name, &password, &encoded})
    if (!*text) return text->error();
  if (const auto good = check_host_name(*host_name); !good) return good.error();
  into.host_name = *std::move(host_name);
  into.user_name = *std::move(user_name);
  into.password = Secret(*std::move(password));
  std::string packed;
  for (const char c : *encoded)
    if (kWhiteSpace.find(c) == std::string_view::npos) packed += c;
  auto decoded = base64_decode(packed);
  if (!decoded) return Error("CustomData is not base64");
  into.custom_data = *std::move(decoded);
  const auto disabled = flag(set, "DisableSshPasswordAuthentication");
  if (!disabled) return disabled.error();
  into.password_login_disabled = *disabled;
  return read_keys(set, into);
}

Result<void> read_platform(const XmlElement& settings, OvfEnvironment& into) {
  const auto agent = flag(settings, "ProvisionGuestAgent");
  if (!agent) return agent.error();
  into.guest_agent = agent->value_or(true);
  const auto proxy = flag(settings, "ProvisionGuestProxyAgent");
  if (!proxy) return proxy.error();
  into.guest_proxy_agent = proxy->value_or(false);
  const auto preprovisioned = flag(settings, "PreprovisionedVm");
  if (!preprovisioned) return preprovisioned.error();
  auto type = settings.text_of("PreprovisionedVMType");
  if (type && type->empty()) type = settings.text_of("PreprovisionedVmType");
  if (!type) return type.error();
  into.preprovisioned = preprovisioned_type(*type);
  if (into.preprovisioned.empty() && preprovisioned->value_or(false)) into.preprovisioned = "Running";
  return {};
}

std::string document(const OvfEnvironment& environment, const std::string& more, const std::string& platform) {
  return fmt::format(
      R"(<?xml version="1.0" encoding="utf-8"?>
<ns0:Environment xmlns:ns0="http://schemas.dmtf.org/ovf/environment/1" xmlns:ns1="http://schemas.microsoft.com/windowsazure">
  <ns1:ProvisioningSection>
    <ns1:Version>1.0</ns1:Version>
    <ns1:LinuxProvisioningConfigurationSet>
      <ns1:ConfigurationSetType>LinuxProvisioningConfiguration</ns1:ConfigurationSetType>
      <ns1:HostName>{}</ns1:HostName>
      <ns1:UserName>{}</ns1:UserName>
{}    </ns1:LinuxProvisioningConfigurationSet>
  </ns1:ProvisioningSection>
  <ns1:PlatformSettingsSection>
    <ns1:Version>1.0</ns1:Version>
    <ns1:PlatformSettings>
      <ns1:ProvisionGuestAgent>{}</ns1:ProvisionGuestAgent>
{}    </ns1:PlatformSettings>
  </ns1:PlatformSettingsSection>
</ns0:Environment>
)",
      xml_escaped(environment.host_name), xml_escaped(environment.user_name), more, environment.guest_agent, platform);
}

std::string element(std::string_view name, std::string_view text) {
  return fmt::format("      <ns1:{0}>{1}</ns1:{0}>\n", name, xml_escaped(text));
}

}  // namespace

Result<OvfEnvironment> read_ovf_env(std::string_view document) {
  const auto root = read_xml(document);
  if (!root) return root.error().in("ovf-env.xml");
  if (root->name != "Environment") return Error("ovf-env.xml: the root element is not Environment");
  OvfEnvironment environment;
  const auto section = only(*root, "ProvisioningSection");
  if (!section) return section.error().in("ovf-env.xml");
  const auto set =
      *section == nullptr ? Result<const XmlElement*>(nullptr) : only(**section, "LinuxProvisioningConfigurationSet");
  if (!set) return set.error().in("ovf-env.xml");
  if (*set == nullptr) return Error("ovf-env.xml: there is no LinuxProvisioningConfigurationSet");
  if (const auto read = read_linux_set(**set, environment); !read) return read.error().in("ovf-env.xml");
  const auto platform = only(*root, "PlatformSettingsSection");
  if (!platform) return platform.error().in("ovf-env.xml");
  const XmlElement* settings = *platform == nullptr ? nullptr : (*platform)->child("PlatformSettings");
  if (settings == nullptr) return environment;
  if (const auto read = read_platform(*settings, environment); !read) return read.error().in("ovf-env.xml");
  return environment;
}

std::string ovf_env_for_agent(const OvfEnvironment& environment) {
  const bool disabled = environment.password_login_disabled.value_or(true);
  return document(environment, element("DisableSshPasswordAuthentication", disabled ? "true" : "false"), "");
}

std::string ovf_env_with_secrets(const OvfEnvironment& environment) {
  std::string more = element("CustomData", base64_encode(environment.custom_data));
  if (!environment.password.empty()) more += element("UserPassword", environment.password.reveal());
  if (environment.password_login_disabled)
    more += element("DisableSshPasswordAuthentication", *environment.password_login_disabled ? "true" : "false");
  std::string keys;
  for (const std::string& key : environment.public_keys)
    keys += fmt::format("<ns1:PublicKey><ns1:Value>{}</ns1:Value></ns1:PublicKey>", xml_escaped(key));
  if (environment.keys_by_fingerprint) keys += "<ns1:PublicKey/>";
  more += fmt::format("      <ns1:SSH><ns1:PublicKeys>{}</ns1:PublicKeys></ns1:SSH>\n", keys);
  std::string platform;
  if (!environment.preprovisioned.empty()) platform = element("PreprovisionedVMType", environment.preprovisioned);
  if (environment.guest_proxy_agent) platform += element("ProvisionGuestProxyAgent", "true");
  return document(environment, more, platform);
}

}  // namespace sunup::azure
