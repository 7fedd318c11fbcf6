#include "controller/node_custom_data.h"

#include <yaml-cpp/yaml.h>
#include <zlib.h>

#include <cerrno>
#include <charconv>

#include "base/base64.h"
#include "base/quoted.h"
#include "controller/paths.h"

namespace sunup::controller {
namespace {

constexpr size_t kLargestFile = 64u << 20;  // unpacked: more is a mistake, or an attack

Result<std::string> gunzip(std::string_view packed) {
  z_stream stream = {};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return Error("gzip: out of memory");
  struct End {
    z_stream* stream;
    ~End() { inflateEnd(stream); }
  } end{&stream};
  // zlib does not write to its input, it only has no const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  int state = Z_OK;
  while (state == Z_OK) {
    char buffer[64 * 1024];
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof buffer;
    state = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer, sizeof buffer - stream.avail_out);
    if (out.size() > kLargestFile) return Error("gzip: unpacks to more than 64 MiB");
    // Several members in a row are one file.
    if (state == Z_STREAM_END && stream.avail_in > 0) state = inflateReset(&stream);
  }
  if (state != Z_STREAM_END) return Error("gzip: the content is damaged");
  return out;
}

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
  if (encoding == "gzip") return gunzip(content);
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

Result<void> apply_custom_data(Node& node) {
  const auto text = node.files.read_if_there(paths::kNodeCustomData);
  if (!text) return text.error();
  if (!*text) return {};
  auto files = parse_custom_data(**text);
  if (!files) return std::move(files).error().in(paths::kNodeCustomData);
  for (CustomDataFile& file : *files) {
    // What is there keeps its mode: it may have been tightened on purpose.
    const auto there = node.files.info_if_there(file.path);
    if (!there) return there.error();
    if (*there && (*there)->kind != host::FileKind::kRegular) return Error(file.path + " is there, and is not a file");
    file.mode = *there ? (*there)->mode : file.mode & ~node.umask;
  }
  for (const CustomDataFile& file : *files)
    if (auto written = node.files.write(file.path, file.content, file.mode); !written) return written;
  return {};
}

}  // namespace sunup::controller
