#include "contract/kubelet_flags.h"

#include <utility>

#include "base/text.h"
#include "contract/formats.h"
#include "contract/judge.h"
#include "contract/kubelet_settings.h"
#include "contract/message_view.h"

namespace sunup::contract {
namespace {

std::string text_of(const FieldValue& value) {
  switch (value.field().kind) {
    case FieldKind::kBool:
      return value.boolean() ? "true" : "false";
    case FieldKind::kInt32:
      return std::to_string(value.integer());
    default:
      return std::string(value.text());
  }
}

std::vector<std::string> items_of(const MessageView& message, const Field& field, std::string_view between) {
  std::vector<std::string> out;
  if (field.is_list())
    for (const FieldValue& item : message.values(field)) out.push_back(text_of(item));
  else if (field.is_map())
    for (const auto& [key, value] : message.map(field))
      out.push_back(std::string(key) + std::string(between) + text_of(value));
  else
    out.push_back(text_of(message.get(field)));
  return out;
}

// As the value of one flag.
std::string with_commas(const std::vector<std::string>& items) {
  std::string out;
  for (size_t i = 0; i < items.size(); ++i) out.append(i == 0 ? "" : ",").append(items[i]);
  return out;
}

std::vector<std::string> items_of(std::string_view flag_value) {
  if (flag_value.empty()) return {};
  const auto parts = split(flag_value, ',');
  return {parts.begin(), parts.end()};
}

}  // namespace

std::string path_in_kubelet_file(std::string_view field) {
  return std::string(kKubeletFilePath) + "." + std::string(field);
}

std::optional<FileSetting> setting_behind_flag(std::string_view flag,
                                               const aksnodeconfig::v1::KubeletConfigFileConfig& file) {
  const KubeletRow* row = find_kubelet_row(flag);
  if (row == nullptr || row->file_field.empty()) return std::nullopt;
  const std::string wire = file.SerializeAsString();
  MessageView message(wire, *field_at("kubelet_config.kubelet_config_file_config")->message);
  for (const std::string_view name : split(row->file_field, '.')) {
    const Field& field = *message.type().find(name);
    if (!message.has(field)) return std::nullopt;
    if (field.is_map() || !field.message) {
      auto items = items_of(message, field, row->between);
      return FileSetting{std::string(row->file_field), with_commas(items), std::move(items)};
    }
    message = message.get(field).message();
  }
  return std::nullopt;
}

std::string KubeletSetting::path_of(size_t item) const {
  return from_file ? path_of_item(path, item) : path;
}

std::optional<KubeletSetting> kubelet_setting(const Configuration& config, std::string_view flag) {
  const auto& flags = config.kubelet_config().kubelet_flags();
  if (const auto it = flags.find(std::string(flag)); it != flags.end())
    return KubeletSetting{it->second, items_of(it->second), path_of_key(kKubeletFlagsPath, flag)};
  return kubelet_file_setting(config, flag);
}

std::optional<KubeletSetting> kubelet_file_setting(const Configuration& config, std::string_view flag) {
  if (!config.kubelet_config().enable_kubelet_config_file()) return std::nullopt;
  auto set = setting_behind_flag(flag, config.kubelet_config().kubelet_config_file_config());
  if (!set) return std::nullopt;
  return KubeletSetting{std::move(set->value), std::move(set->items), path_in_kubelet_file(set->field), true};
}

std::string path_for_kubelet_setting(const Configuration& config, std::string_view flag) {
  const KubeletRow* row = find_kubelet_row(flag);
  const bool in_file = config.kubelet_config().enable_kubelet_config_file() && row && !row->file_field.empty();
  return in_file ? path_in_kubelet_file(row->file_field) : path_of_key(kKubeletFlagsPath, flag);
}

}  // namespace sunup::contract
