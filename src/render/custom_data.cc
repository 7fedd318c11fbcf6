#include "render/custom_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/quoted.h"
#include "base/text.h"
#include "base/utf8.h"
#include "contract/write.h"
#include "render/boothook.h"
#include "render/cloud_config.h"
#include "render/distro.h"
#include "render/field_sizes.h"
#include "render/gzip.h"
#include "render/ignition.h"
#include "render/mime.h"

namespace sunup::render {
namespace {

constexpr char kBoothookType[] = "text/cloud-boothook";
constexpr char kCloudConfigType[] = "text/cloud-config";
constexpr size_t kMaxUnpacked = 64u << 20;
constexpr size_t kFieldsShown = 5;

std::string boothook_document(const NodeFiles& files, bool readable) {
  return multipart({{kBoothookType, boothook(files, readable)}, {kCloudConfigType, companion_cloud_config()}});
}

std::string document(const NodeFiles& files, CustomDataForm form, bool compressed) {
  if (form == CustomDataForm::kIgnition) return ignition_config(files, compressed);
  const std::string text =
      form == CustomDataForm::kBoothook ? boothook_document(files, false) : write_files_config(files);
  return compressed ? gzip(text) : text;
}

// The enabled features, one line KEY=VALUE for each, sorted; the file is parsed and never executed. It has no quoting,
// so keys that are not identifiers and values with CR, LF or NUL are omitted. Empty: no file is needed.
std::string features_file(const aksnodeconfig::v1::Configuration& config) {
  using namespace std::string_view_literals;
  const std::map<std::string, std::string> sorted(config.enabled_features().begin(), config.enabled_features().end());
  std::string text;
  for (const auto& [key, value] : sorted) {
    if (!is_identifier(key) || value.find_first_of("\r\n\0"sv) != std::string::npos) continue;
    text += key + "=" + value + "\n";
  }
  return text;
}

// In a JSON document, only strings can contain characters outside ASCII, and there they can be written as \uXXXX.
std::string ascii_json(std::string_view json) {
  std::string out;
  while (!json.empty()) {
    const Rune rune = first_rune(json);
    if (rune.code < 0x80) {
      out += json.front();
    } else if (const uint32_t code = rune.valid() ? rune.code : 0xFFFD; code < 0x10000) {
      out += fmt::format("\\u{:04x}", code);
    } else {
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + ((code - 0x10000) >> 10), 0xDC00 + ((code - 0x10000) & 0x3FF));
    }
    json.remove_prefix(rune.size);
  }
  return out;
}

Result<std::string> replaceable_document(NodeFiles files, const CustomDataOptions& options) {
  if (options.form == CustomDataForm::kWriteFiles || options.compression == Compression::kAlways)
    return Error("custom data with a placeholder has the form boothook or Ignition and is not compressed");
  files.config_json = ascii_json(files.config_json);
  if (files.config_json.find(options.placeholder) == std::string::npos)
    return Error(fmt::format("the config does not contain the placeholder {}", go_quoted(options.placeholder)));
  return options.form == CustomDataForm::kIgnition ? ignition_config(files, false, options.placeholder)
                                                   : boothook_document(files, true);
}

Error too_big(size_t bytes, const aksnodeconfig::v1::Configuration& config, const CustomDataOptions& options) {
  std::string fields;
  for (const FieldSize& field : biggest_fields(config, kFieldsShown)) {
    fields += fmt::format("{}{} ({} bytes)", fields.empty() ? "" : ", ", field.path, field.bytes);
  }
  if (options.results && !options.results->ca.empty())
    fields += fmt::format("; or the CA of the address for results ({} bytes)", options.results->ca.size());
  size_t hooks = 0;
  for (const HookFile& hook : options.hooks) hooks += hook.text.size();
  if (hooks != 0) fields += fmt::format("; or the hooks ({} bytes)", hooks);
  return Error(fmt::format("custom data has {} bytes, {} more than the {} that Azure accepts", bytes,
                           bytes - kMaxCustomDataBytes, kMaxCustomDataBytes))
      .with_hint("reduce the largest fields: " + fields);
}

Result<void> check_names(const std::vector<HookFile>& hooks) {
  std::set<std::string_view> names;
  for (const HookFile& hook : hooks) {
    if (!is_hook_name(hook.name))
      return Error(fmt::format("{} is not the name of a hook", go_quoted(hook.name)))
          .with_hint("at most 63 characters of a-z, 0-9, '.', '_' and '-', the first of them a-z, 0-9 or '_'");
    if (!names.insert(hook.name).second) return Error(fmt::format("the hook {} occurs twice", hook.name));
  }
  return {};
}

}  // namespace

Result<CustomDataForm> form_for_os(std::string_view os) {
  if (const DistroTraits* distro = traits_by_image(os))
    return distro->ignition ? CustomDataForm::kIgnition : CustomDataForm::kBoothook;
  return Error(fmt::format("unknown operating system '{}'", os))
      .with_hint(fmt::format("known names begin with {}", fmt::join(image_name_beginnings(), ", ")));
}

CustomDataForm form_named(std::string_view name, CustomDataForm of_the_os) {
  for (const auto& [known, form] : kFormNames)
    if (known == name) return form.value_or(of_the_os);
  return of_the_os;
}

Compression compression_named(std::string_view name) {
  for (const auto& [known, compression] : kCompressionNames)
    if (known == name) return compression;
  return Compression::kIfNeeded;
}

Result<std::string> custom_data(const aksnodeconfig::v1::Configuration& config, const CustomDataOptions& options) {
  if (auto sound = check_names(options.hooks); !sound) return std::move(sound).error();
  const NodeFiles files{options.verbatim ? *options.verbatim : contract::to_json(config, options.unknown),
                        features_file(config), options.results ? to_json(*options.results) : "", options.hooks};
  std::string data;
  if (!options.placeholder.empty()) {
    auto made = replaceable_document(files, options);
    if (!made) return made;
    data = *std::move(made);
  } else {
    data = document(files, options.form, options.compression == Compression::kAlways);
  }
  if (data.size() > kMaxCustomDataBytes && options.compression == Compression::kIfNeeded &&
      options.placeholder.empty()) {
    data = document(files, options.form, true);
  }
  if (data.size() > kMaxCustomDataBytes) return too_big(data.size(), config, options);
  return data;
}

Result<CustomDataContent> read_custom_data(std::string_view bytes) {
  std::string unpacked;
  if (is_gzip(bytes)) {
    Result<std::string> text = gunzip(bytes, kMaxUnpacked);
    if (!text) return std::move(text).error().in("custom data");
    unpacked = *std::move(text);
    bytes = unpacked;
  }
  if (auto files = read_write_files_config(bytes))
    return CustomDataContent{CustomDataForm::kWriteFiles, *std::move(files)};
  if (auto files = read_ignition_config(bytes)) return CustomDataContent{CustomDataForm::kIgnition, *std::move(files)};
  for (const MimePart& part : parts_of(bytes)) {
    if (part.type != kBoothookType) continue;
    if (auto files = read_boothook(part.body)) return CustomDataContent{CustomDataForm::kBoothook, *std::move(files)};
  }
  return Error("no node config in this custom data")
      .with_hint("sunup reads what `sunup render custom-data` wrote, in any form");
}

}  // namespace sunup::render
