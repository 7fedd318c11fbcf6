#include "render/custom_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "base/base64.h"
#include "base/fnv.h"
#include "base/node_paths.h"
#include "base/quoted.h"
#include "base/text.h"
#include "base/utf8.h"
#include "contract/message_view.h"
#include "contract/write.h"
#include "render/distro.h"
#include "render/gzip.h"
#include "render/node_files.h"

namespace sunup::render {
namespace {

constexpr size_t kFieldsShown = 5;

// A multipart/mixed message of 7-bit text parts, as cloud-init reads it. The boundary is derived from the parts, so
// equal parts give equal bytes: Azure responds with 409 if the custom data of an existing VM changes.
struct MimePart {
  std::string_view type;
  std::string body;  // ASCII, lines end with LF
};

// Neither a secret nor a checksum: it must be the same for the same parts and must not occur in any of them.
std::string boundary_for(const std::vector<MimePart>& parts) {
  uint64_t hash = kFnvStart;
  for (const MimePart& part : parts) hash = fnv1a_64(part.body, fnv1a_64(part.type, hash));
  while (true) {
    std::string boundary = fmt::format("sunup-{:016x}", hash);
    const bool taken =
        std::ranges::any_of(parts, [&](const MimePart& part) { return part.body.find(boundary) != std::string::npos; });
    if (!taken) return boundary;
    hash = fnv1a_64(boundary, hash);
  }
}

std::string multipart(const std::vector<MimePart>& parts) {
  const std::string boundary = boundary_for(parts);
  std::string out =
      fmt::format("MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"{}\"\r\n\r\n", boundary);
  for (size_t i = 0; i < parts.size(); ++i) {
    out += fmt::format("{}--{}\r\nContent-Transfer-Encoding: 7bit\r\nContent-Type: {}\r\nMime-Version: 1.0\r\n\r\n{}",
                       i == 0 ? "" : "\r\n", boundary, parts[i].type, parts[i].body);
  }
  return out + "\r\n--" + boundary + "--\r\n";
}

// The second part only writes a line to cloud-init's log at the end of the boot.
std::string boothook_document(const NodeFiles& files, bool readable) {
  return multipart(
      {{"text/cloud-boothook", boothook(files, readable)},
       {"text/cloud-config",
        "#cloud-config\nfinal_message: \"aks-node-controller: cloud-init is done after $UPTIME seconds, at "
        "$TIMESTAMP\"\n"}});
}

std::string write_files_entry(std::string_view path, std::string_view content) {
  return fmt::format("- path: {}\n  permissions: \"0600\"\n  owner: root\n  content: !!binary |\n    {}\n", path,
                     base64_encode(content));
}

// For images that are older than the boothook: cloud-init writes the config in its second-to-last stage, and the
// image's own unit then starts the controller. cloud-init writes in place and sets the mode afterwards; the controller
// waits for a config that is still being written.
std::string write_files_config(const NodeFiles& files) {
  std::string text = "#cloud-config\nwrite_files:\n";
  // The config is written last, because the controller may start as soon as it exists.
  for (const HookFile& hook : files.hooks) text += write_files_entry(hook_path(hook.name), hook.text);
  if (!files.features.empty()) text += write_files_entry(paths::kFeatures, files.features);
  if (!files.results.empty()) text += write_files_entry(paths::kResultService, files.results);
  return text + write_files_entry(paths::kNodeConfig, files.config_json);
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

using contract::Field;
using contract::FieldKind;
using contract::FieldValue;
using contract::MessageView;

// The approximate size of a value in JSON that is not text; such fields are never among the largest.
constexpr size_t kScalar = 8;

// Contains names and sizes of fields, never values.
struct FieldSize {
  std::string path;  // "custom_ca_certs", "kubelet_config.kubelet_flags"
  size_t bytes = 0;  // of its text; the entries of a list or map are added up
};

size_t size_of(const MessageView& message);

size_t size_of(const FieldValue& value) {
  const FieldKind kind = value.field().kind;
  return kind == FieldKind::kString    ? value.text().size()
         : kind == FieldKind::kMessage ? size_of(value.message())
                                       : kScalar;
}

size_t size_of(const MessageView& message, const Field& field) {
  size_t bytes = 0;
  if (field.is_map())
    for (const auto& [key, value] : message.map(field)) bytes += key.size() + size_of(value);
  else
    for (const FieldValue& value : message.values(field)) bytes += size_of(value);
  return bytes;
}

size_t size_of(const MessageView& message) {
  size_t bytes = 0;
  for (const Field& field : message.type().all()) bytes += size_of(message, field);
  return bytes;
}

void add_sizes(const MessageView& message, const std::string& prefix, std::vector<FieldSize>& out) {
  for (const Field& field : message.type().all()) {
    if (!message.has(field)) continue;
    const std::string path = prefix + std::string(field.name);
    if (field.message && !field.is_list() && !field.is_map()) {
      add_sizes(message.get(field).message(), path + ".", out);
    } else {
      out.push_back({path, size_of(message, field)});
    }
  }
}

// Largest first, at most `count`.
std::vector<FieldSize> biggest_fields(const aksnodeconfig::v1::Configuration& config, size_t count) {
  const std::string wire = config.SerializeAsString();
  std::vector<FieldSize> sizes;
  add_sizes(MessageView(wire, contract::configuration_fields()), "", sizes);
  std::ranges::stable_sort(sizes, std::ranges::greater{}, &FieldSize::bytes);
  if (sizes.size() > count) sizes.resize(count);
  return sizes;
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

bool is_hook_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= 63 && name.front() != '.' && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), allowed);
}

std::string hook_path(std::string_view name) {
  return fmt::format("{}/{}.json", paths::kHooks, name);
}

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

}  // namespace sunup::render
