#include "azure/custom_data.h"

#include <algorithm>

#include "azure/forms.h"
#include "base/base64.h"
#include "base/node_paths.h"
#include "base/text.h"
#include "render/gzip.h"

namespace sunup::azure {
namespace {

constexpr int kMostLayers = 4;
constexpr int kMostNesting = 4;

Result<CustomData> read_document(std::string_view text, std::string_view type, int depth);

// Detects base64 as cloud-init does: only characters of the alphabet, and not short.
bool may_be_base64(std::string_view text) {
  return text.size() >= 16 && std::ranges::all_of(text, [](char c) {
           return is_alphanumeric(c) || c == '+' || c == '/' || c == '=' || c == '\n' || c == '\r';
         });
}

// Decodes gzip and base64 layers in any order.
Result<std::string> unpacked(std::string_view bytes) {
  std::string text(bytes);
  for (int layer = 0; layer < kMostLayers; ++layer) {
    if (render::is_gzip(text)) {
      auto inner = render::gunzip(text, kLargestUnpacked);
      if (!inner) return std::move(inner).error();
      text = *std::move(inner);
    } else if (may_be_base64(trimmed(text))) {
      auto inner = base64_decode(trimmed(text));
      if (!inner) return Error("base64 that is cut or damaged");
      text = *std::move(inner);
    } else {
      return text;
    }
  }
  return Error("packed more than " + std::to_string(kMostLayers) + " times");
}

CustomData only_for_cloud_init(std::string why) {
  return {.files = {}, .not_understood = std::move(why)};
}

Result<CustomData> read_parts(std::string_view text, int depth) {
  if (depth >= kMostNesting) return Error("MIME parts are nested too deeply");
  const auto parts = mime_parts(text);
  if (!parts) return parts.error();
  CustomData all;
  for (const MimePart& part : *parts) {
    auto data = read_document(part.body, part.type, depth + 1);
    if (!data) return std::move(data).error();
    all.add(*std::move(data));
  }
  return all;
}

// cloud-init uses the first line of a part, and the declared type only if the first line does not determine the format.
Result<CustomData> read_document(std::string_view text, std::string_view type, int depth) {
  std::string_view rest = trimmed(text);
  if (rest.empty()) return CustomData();
  const std::string first_line(take_until(rest, '\n').substr(0, 100));
  const std::string word = lowered(trimmed(first_line));
  if (word.starts_with("content-type:") || word.starts_with("mime-version:")) return read_parts(trimmed(text), depth);
  if (word.starts_with("#cloud-boothook")) return read_boothook(text);
  if (word.starts_with("#cloud-config") && !word.starts_with("#cloud-config-")) return read_cloud_config(text);
  if (word.starts_with("{")) return read_ignition(text);
  if (type == "text/cloud-boothook") return read_boothook(text);
  if (type == "text/cloud-config") return read_cloud_config(text);
  if (word.starts_with("#!")) return only_for_cloud_init("it has a script (" + first_line + ")");
  if (word.starts_with("#include")) return only_for_cloud_init("it includes other documents (#include)");
  for (const char* known :
       {"## template: jinja", "#cloud-config-archive", "#cloud-config-jsonp", "#part-handler", "#upstart-job"})
    if (word.starts_with(known))
      return only_for_cloud_init("it is of a form that only cloud-init reads (" + word + ")");
  if (type.starts_with("text/") && type != "text/plain")
    return only_for_cloud_init("it has a part of type " + std::string(type));
  return Error("not in any form of custom data (MIME, #cloud-boothook, #cloud-config, Ignition)");
}

// "/a/../b" would be a different file than it appears to be.
Result<void> check_path(std::string_view path) {
  bool good = path.starts_with('/') && path.size() <= 1024 && path.find('\0') == std::string_view::npos;
  std::string_view rest = path;
  if (good) rest.remove_prefix(1);
  for (const std::string_view part : split(rest, '/')) good = good && !part.empty() && part != "." && part != "..";
  if (good) return {};
  return Error("a file whose path is not absolute and plain");
}

Result<void> check(const CustomData& data) {
  for (size_t i = 0; i < data.files.size(); ++i) {
    if (const auto good = check_path(data.files[i].path); !good) return good;
    for (size_t k = 0; k < i; ++k)
      if (data.files[k].path == data.files[i].path && data.files[k] != data.files[i])
        return Error("two different files for " + data.files[i].path);
  }
  return {};
}

Result<CustomData> read(std::string_view bytes) {
  if (bytes.size() > kLargestCustomData) return Error("it has more than 1 MiB");
  if (is_blank(bytes)) return Error("it is empty");
  if (bytes.find_first_not_of('\0') == std::string_view::npos)
    return Error("it is " + std::to_string(bytes.size()) + " zero bytes");
  const auto text = unpacked(bytes);
  if (!text) return text.error();
  auto data = read_document(*text, "", 0);
  if (!data) return data;
  if (auto good = check(*data); !good) return std::move(good).error();
  if (data->not_understood.empty() && data->file(paths::kNodeConfig) == nullptr &&
      data->file(paths::kNbcCommand) == nullptr)
    data->not_understood = "it has no node config and no command file";
  return data;
}

}  // namespace

const NodeFile* CustomData::file(std::string_view path) const {
  const auto found = std::ranges::find(files, path, &NodeFile::path);
  return found == files.end() ? nullptr : &*found;
}

void CustomData::add(CustomData other) {
  files.insert(files.end(), std::make_move_iterator(other.files.begin()), std::make_move_iterator(other.files.end()));
  if (not_understood.empty()) not_understood = std::move(other.not_understood);
}

Result<CustomData> read_custom_data(std::string_view bytes) {
  auto data = read(bytes);
  if (!data) return std::move(data).error().in("custom data");
  return data;
}

}  // namespace sunup::azure
