#include "controller/custom_data_files.h"

#include <yaml-cpp/yaml.h>

#include <charconv>

#include "base/base64.h"
#include "base/quoted.h"
#include "base/utf8.h"
#include "render/gzip.h"

namespace sunup::controller {
namespace {

constexpr size_t kLargestFile = 64u << 20;  // unpacked: more is a mistake, or an attack

std::string text_of(const YAML::Node& node) {
  return node.IsDefined() && !node.IsNull() ? node.as<std::string>() : "";
}

Result<std::string> content_of(const YAML::Node& entry) {
  const YAML::Node node = entry["content"];
  std::string content = text_of(node);
  if (node.IsDefined() && node.Tag() == "tag:yaml.org,2002:binary") {
    std::string packed;
    for (const char c : content)
      if (c != ' ' && c != '\t') packed += c;
    auto decoded = base64_decode(packed);
    if (!decoded) return Error("content: not base64");
    content = std::move(*decoded);
  }
  const std::string encoding = text_of(entry["encoding"]);
  if (encoding.empty()) return content;
  if (encoding == "gzip") return render::gunzip(content, kLargestFile);
  if (encoding != "base64") return Error("unsupported encoding " + go_quoted(encoding));
  auto decoded = base64_decode(content);
  if (!decoded) return Error("content: not base64");
  return std::move(*decoded);
}

Result<mode_t> mode_of(const YAML::Node& entry) {
  const std::string text = text_of(entry["permissions"]);
  if (text.empty()) return mode_t{0644};
  unsigned mode = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
  if (error != std::errc() || end != text.data() + text.size())
    return Error("permissions " + go_quoted(text) + " are not octal");
  return static_cast<mode_t>(mode & 0777);
}

Result<CustomDataFile> read_entry(const YAML::Node& entry) {
  if (!entry.IsMap()) return Error("not a mapping");
  CustomDataFile file;
  file.path = text_of(entry["path"]);
  if (file.path.empty()) return Error("no path");
  if (!file.path.starts_with('/')) return Error("path " + go_quoted(file.path) + " is not absolute");
  if (const std::string owner = text_of(entry["owner"]); !owner.empty() && owner != "root")
    return Error(file.path + ": unsupported owner " + go_quoted(owner));
  const auto mode = mode_of(entry);
  if (!mode) return mode.error().in(file.path);
  file.mode = *mode;
  auto content = content_of(entry);
  if (!content) return content.error().in(file.path);
  file.content = std::move(*content);
  return file;
}

}  // namespace

Result<std::vector<CustomDataFile>> parse_custom_data(std::string_view yaml) {
  std::vector<CustomDataFile> files;
  // yaml-cpp 0.7 does not end if the text does within a character.
  if (utf8_length(yaml) < yaml.size()) return Error("not valid UTF-8");
  try {
    const YAML::Node document = YAML::Load(std::string(yaml));
    if (document.IsNull()) return files;
    const YAML::Node entries = document.IsMap() ? document["write_files"] : YAML::Node(YAML::NodeType::Undefined);
    if (!document.IsMap() || (entries.IsDefined() && !entries.IsNull() && !entries.IsSequence()))
      return Error("there is no list write_files");
    for (size_t i = 0; entries.IsDefined() && i < entries.size(); ++i) {
      auto file = read_entry(entries[i]);
      if (!file) return Error("write_files[" + std::to_string(i) + "]: " + file.error().what);
      files.push_back(std::move(*file));
    }
  } catch (const YAML::Exception& error) {
    return Error(error.what());
  }
  return files;
}

}  // namespace sunup::controller
