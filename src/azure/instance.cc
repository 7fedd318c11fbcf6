#include "azure/instance.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "azure/names.h"
#include "base/base64.h"
#include "base/text.h"

namespace sunup::azure {
namespace {

using nlohmann::json;

constexpr size_t kMostKeys = 100;

const json* member(const json* object, const char* name) {
  if (object == nullptr || !object->is_object()) return nullptr;
  const auto found = object->find(name);
  return found == object->end() || found->is_null() ? nullptr : &*found;
}

Result<std::string> text(const json* object, const char* name) {
  const json* found = member(object, name);
  if (found == nullptr) return std::string();
  if (!found->is_string()) return Error(std::string(name) + " is not a string");
  return found->get<std::string>();
}

// The service sends "true" as a string; newer versions may send a boolean.
Result<std::optional<bool>> flag(const json* object, const char* name) {
  const json* found = member(object, name);
  if (found == nullptr) return std::optional<bool>();
  if (found->is_boolean()) return std::optional(found->get<bool>());
  const auto word = text(object, name);
  if (word && word->empty()) return std::optional<bool>();
  if (word && equal_ignoring_case(*word, "true")) return std::optional(true);
  if (word && equal_ignoring_case(*word, "false")) return std::optional(false);
  return Error(std::string(name) + " is neither true nor false");
}

Result<void> read_keys(const json* compute, Instance& into) {
  const json* keys = member(compute, "publicKeys");
  if (keys == nullptr) return {};
  if (!keys->is_array()) return Error("publicKeys is not a list");
  if (keys->size() > kMostKeys) return Error("more than 100 ssh public keys");
  for (const json& key : *keys) {
    auto data = text(&key, "keyData");
    if (!data) return data.error();
    if (!data->empty()) into.public_keys.push_back(*std::move(data));
  }
  return {};
}

Result<Instance> read(const json& document) {
  Instance instance;
  const json* compute = member(&document, "compute");
  const json* profile = member(compute, "osProfile");
  const json* extended = member(member(&document, "extended"), "compute");
  auto vm_id = text(compute, "vmId");
  auto computer_name = text(profile, "computerName");
  auto admin_user = text(profile, "adminUsername");
  const auto user_data = text(compute, "userData");
  const auto pps = text(extended, "ppsType");
  for (const Result<std::string>* one :
       std::initializer_list<const Result<std::string>*>{&vm_id, &computer_name, &admin_user, &user_data, &pps})
    if (!*one) return one->error();
  instance.vm_id = lowered(*vm_id);
  instance.computer_name = *std::move(computer_name);
  instance.admin_user = *std::move(admin_user);
  auto decoded = base64_decode(*user_data);
  if (!decoded) return Error("userData is not base64");
  instance.user_data = *std::move(decoded);
  instance.preprovisioned = preprovisioned_type(*pps);
  const auto disabled = flag(profile, "disablePasswordAuthentication");
  const auto custom = flag(extended, "hasCustomData");
  if (!disabled) return disabled.error();
  if (!custom) return custom.error();
  instance.password_login_disabled = *disabled;
  instance.has_custom_data = *custom;
  if (const auto keys = read_keys(compute, instance); !keys) return keys.error();
  return instance;
}

}  // namespace

Result<Instance> read_instance(std::string_view text) {
  if (text.size() > kLargestInstanceDocument) return Error("instance metadata of more than 1 MiB");
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object()) return Error("instance metadata is not a JSON object");
  auto instance = read(document);
  if (!instance) return std::move(instance).error().in("instance metadata");
  instance->document = text;
  return instance;
}

std::string vm_id_of(std::string_view product_uuid, bool has_uefi) {
  const std::string id = lowered(trimmed(product_uuid));
  if (id.size() != 36) return "";
  for (size_t i = 0; i < id.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? id[i] != '-' : hex_digit(id[i]) < 0) return "";
  }
  if (has_uefi) return id;
  const auto swapped = [&](size_t at, size_t bytes) {
    std::string out;
    for (size_t i = bytes; i-- > 0;) out += id.substr(at + 2 * i, 2);
    return out;
  };
  return swapped(0, 4) + "-" + swapped(9, 2) + "-" + swapped(14, 2) + id.substr(18);
}

}  // namespace sunup::azure
