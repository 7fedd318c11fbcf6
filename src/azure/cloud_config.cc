#include "azure/forms.h"

#include <yaml-cpp/yaml.h>

#include <charconv>

#include "base/base64.h"
#include "base/quoted.h"
#include "base/text.h"
#include "base/utf8.h"
#include "render/gzip.h"

namespace sunup::azure {
namespace {

constexpr size_t kMostFiles = 256;
// The library recurses for every nesting level, and expands aliases.
constexpr size_t kDeepestYaml = 64;

std::string text_of(const YAML::Node& node) {
  return node.IsDefined() && node.IsScalar() ? node.Scalar() : "";
}

// An upper bound on the work of the YAML library. Each level of a flow collection is a bracket, and each level of a
// block collection is at least one column of indentation, or one "- ", "? " or ": ".
bool is_deep(std::string_view yaml) {
  size_t brackets = 0;
  while (!yaml.empty()) {
    const std::string_view line = take_until(yaml, '\n');
    size_t indent = 0;
    while (indent < line.size() &&
           (line[indent] == ' ' || line[indent] == '-' || line[indent] == '?' || line[indent] == ':'))
      ++indent;
    for (const char c : line) {
      if (c == '[' || c == '{') ++brackets;
      if ((c == ']' || c == '}') && brackets > 0) --brackets;
      if (brackets > kDeepestYaml) return true;
    }
    if (indent > kDeepestYaml && indent < line.size()) return true;
  }
  return false;
}

Result<std::string> from_base64(std::string_view text) {
  std::string packed;
  for (const char c : text)
    if (kWhiteSpace.find(c) == std::string_view::npos) packed += c;
  auto bytes = base64_decode(packed);
  if (!bytes) return Error("its base64 is cut or damaged");
  return *std::move(bytes);
}

// cloud-init's names for the encodings. cloud-init writes content with an unknown encoding unchanged, with a warning;
// here it is an error.
Result<std::string> content_of(const YAML::Node& entry) {
  const YAML::Node node = entry["content"];
  std::string content = text_of(node);
  if (node.IsDefined() && node.Tag() == "tag:yaml.org,2002:binary") {
    auto bytes = from_base64(content);
    if (!bytes) return bytes;
    content = *std::move(bytes);
  }
  const std::string encoding = lowered(trimmed(text_of(entry["encoding"])));
  if (encoding.empty() || encoding == "text/plain") return content;
  const bool base64 =
      encoding == "b64" || encoding == "base64" || encoding.ends_with("+b64") || encoding.ends_with("+base64");
  const bool gzip =
      encoding == "gz" || encoding == "gzip" || encoding.starts_with("gz+") || encoding.starts_with("gzip+");
  if ((!base64 && !gzip) || (encoding.find('+') != std::string::npos && !(base64 && gzip)))
    return Error("an unknown encoding '" + encoding.substr(0, 40) + "'");
  if (base64) {
    auto bytes = from_base64(content);
    if (!bytes) return bytes;
    content = *std::move(bytes);
  }
  if (gzip) return render::gunzip(content, kLargestUnpacked);
  return content;
}

Result<mode_t> mode_of(const YAML::Node& entry) {
  std::string text = text_of(entry["permissions"]);
  if (text.empty()) return mode_t{0644};
  if (text.starts_with("0o")) text.erase(0, 2);
  unsigned mode = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
  if (error != std::errc() || end != text.data() + text.size() || mode > 07777)
    return Error("its permissions are not octal");
  return static_cast<mode_t>(mode & 0777);
}

Result<NodeFile> file_of(const YAML::Node& entry) {
  NodeFile file;
  file.path = text_of(entry["path"]);
  if (file.path.empty()) return Error("no path");
  const auto mode = mode_of(entry);
  if (!mode) return mode.error().in(file.path);
  file.mode = *mode;
  auto content = content_of(entry);
  if (!content) return std::move(content).error().in(file.path);
  file.content = *std::move(content);
  return file;
}

Result<CustomData> read_entry(const YAML::Node& entry) {
  auto file = file_of(entry);
  if (!file) return std::move(file).error();
  CustomData data;
  const std::string owner = text_of(entry["owner"]);
  const bool append = lowered(text_of(entry["append"])) == "true";
  if ((!owner.empty() && owner != "root" && owner != "root:root") || append || entry["source"].IsDefined())
    data.not_understood = "write_files for " + file->path + " has another owner, appends, or downloads";
  data.files.push_back(*std::move(file));
  return data;
}

// Compatible with the original: requires an absolute path, and supports fewer owners and encodings than cloud-init.
Result<CustomData> read_hotfix_entry(const YAML::Node& entry) {
  const std::string path = text_of(entry["path"]);
  if (!path.empty() && !path.starts_with('/')) return Error("path " + go_quoted(path) + " is not absolute");
  if (const std::string owner = text_of(entry["owner"]); !owner.empty() && owner != "root")
    return Error(path + ": unsupported owner " + go_quoted(owner));
  if (const std::string encoding = text_of(entry["encoding"]);
      !encoding.empty() && encoding != "base64" && encoding != "gzip")
    return Error(path + ": unsupported encoding " + go_quoted(encoding));
  auto file = file_of(entry);
  if (!file) return std::move(file).error();
  CustomData data;
  data.files.push_back(*std::move(file));
  return data;
}

Result<void> read_write_files(const YAML::Node& list, Result<CustomData> (*read_one)(const YAML::Node&),
                              CustomData& data) {
  if (!list.IsSequence()) return Error("write_files is not a list");
  if (list.size() > kMostFiles) return Error("write_files has more than 256 entries");
  for (size_t i = 0; i < list.size(); ++i) {
    auto file = list[i].IsMap() ? read_one(list[i]) : Result<CustomData>(Error("not a mapping"));
    if (!file) return std::move(file).error().in("write_files[" + std::to_string(i) + "]");
    data.add(*std::move(file));
  }
  return {};
}

// "echo ...", "systemctl start aks-node-controller.service", [systemctl, start, ...]
bool is_harmless(const YAML::Node& command) {
  std::string text = text_of(command);
  if (command.IsSequence())
    for (size_t i = 0; i < command.size() && i < 16; ++i) text += (text.empty() ? "" : " ") + text_of(command[i]);
  if (text.find('>') != std::string::npos) return false;
  return text.starts_with("echo ") ||
         (text.starts_with("systemctl ") && text.find("aks-node-controller") != std::string::npos);
}

Result<CustomData> read(const YAML::Node& document) {
  CustomData data;
  if (document.IsNull()) return data;
  if (!document.IsMap()) return Error("the cloud-config is not a mapping");
  for (const auto& member : document) {
    const std::string name = text_of(member.first);
    const YAML::Node& value = member.second;
    if (name == "final_message" || value.IsNull()) continue;
    bool known = name == "write_files";
    if (name == "runcmd" && value.IsSequence()) {
      known = true;
      for (size_t i = 0; i < value.size(); ++i) known = known && is_harmless(value[i]);
    }
    if (!known && data.not_understood.empty())
      data.not_understood = "the cloud-config has '" + name.substr(0, 60) + "'";
    if (name != "write_files") continue;
    if (auto done = read_write_files(value, read_entry, data); !done) return std::move(done).error();
  }
  return data;
}

Result<CustomData> read_hotfix(const YAML::Node& document) {
  CustomData data;
  if (document.IsNull()) return data;
  if (!document.IsMap()) return Error("the cloud-config is not a mapping");
  const YAML::Node list = document["write_files"];
  if (!list.IsDefined() || list.IsNull()) return data;
  if (auto done = read_write_files(list, read_hotfix_entry, data); !done) return std::move(done).error();
  return data;
}

Result<CustomData> read_yaml(std::string_view yaml, Result<CustomData> (*read_document)(const YAML::Node&)) {
  if (is_deep(yaml)) return Error("the cloud-config is nested too deeply");
  // yaml-cpp 0.7 does not terminate if the text ends within a character.
  if (utf8_length(yaml) < yaml.size()) return Error("the cloud-config is not valid UTF-8");
  try {
    return read_document(YAML::Load(std::string(yaml)));
  } catch (const YAML::Exception& error) {
    return Error(std::string("the cloud-config is not valid YAML: line ") + std::to_string(error.mark.line + 1) + ": " +
                 error.msg);
  }
}

}  // namespace

Result<CustomData> read_cloud_config(std::string_view yaml) {
  return read_yaml(yaml, read);
}

Result<std::vector<NodeFile>> read_hotfix_files(std::string_view yaml) {
  auto data = read_yaml(yaml, read_hotfix);
  if (!data) return std::move(data).error();
  return std::move(data->files);
}

}  // namespace sunup::azure
