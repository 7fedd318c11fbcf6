#include "engine/outputs.h"

#include <fmt/format.h>

#include <string_view>

namespace sunup::engine {
namespace {

constexpr mode_t kLink = 0777;
constexpr std::string_view kLinkTo = "link ";
constexpr std::string_view kUnknown = "unknown";  // never equal to anything, not even to itself

std::string link_there(host::Files& files, const std::string& path) {
  const auto target = files.link_if_there(path);
  if (!target) return std::string(kUnknown);
  return std::string(kLinkTo) + target->value_or("");
}

std::string file_there(host::Files& files, const std::string& path) {
  const auto info = files.info_if_there(path);
  if (!info) return std::string(kUnknown);
  if (!*info) return "absent";
  const host::FileInfo& known = **info;
  // The times of a directory change when other programs add entries to it.
  if (known.kind == host::FileKind::kDirectory)
    return fmt::format("directory {:04o} {}:{}", known.mode, known.uid, known.gid);
  return fmt::format("file {:04o} {}:{} {} {}", known.mode, known.uid, known.gid, known.size, known.changed_ns);
}

}  // namespace

OwnedFiles::OwnedFiles(const Graph& graph) : files_(graph.size()) {
  std::map<std::string_view, size_t> last;
  for (const size_t i : graph.order())
    for (const FileEffect& file : graph.steps()[i].files) last[file.path] = i;
  for (size_t i = 0; i < graph.size(); ++i)
    for (const FileEffect& file : graph.steps()[i].files)
      if (last[file.path] == i && !file.temporary && !file.shared) files_[i].push_back(&file);
}

Outputs look_at_outputs(host::Files& files, const std::vector<const FileEffect*>& owned,
                        const std::set<std::string>& more) {
  Outputs outputs;
  for (const FileEffect* file : owned)
    outputs[file->path] = file->mode == kLink ? link_there(files, file->path) : file_there(files, file->path);
  for (const std::string& path : more)
    if (!outputs.contains(path)) outputs[path] = file_there(files, path);
  return outputs;
}

void add_links_of_units(host::Files& files, const std::vector<std::string>& units, Outputs& outputs) {
  constexpr std::string_view kUnits = "/etc/systemd/system";
  if (units.empty()) return;
  const auto folders = files.list_if_there(std::string(kUnits));
  if (!folders) return;
  for (const std::string& folder : *folders) {
    if (!folder.ends_with(".wants") && !folder.ends_with(".requires")) continue;
    for (const std::string& unit : units) {
      const std::string path = fmt::format("{}/{}/{}", kUnits, folder, unit.substr(unit.rfind('/') + 1));
      const auto target = files.link_if_there(path);
      if (target && *target) outputs[path] = std::string(kLinkTo) + **target;
    }
  }
}

std::string difference(host::Files& files, const Outputs& recorded, const std::vector<const FileEffect*>& owned) {
  for (const auto& [path, left] : recorded) {
    const std::string now = left.starts_with(kLinkTo) ? link_there(files, path) : file_there(files, path);
    if (now == left && now != kUnknown) continue;
    return now == "absent" ? fmt::format("{} is gone", path) : fmt::format("{} has changed since", path);
  }
  for (const FileEffect* file : owned)
    if (!recorded.contains(file->path)) return fmt::format("{} is not in the record", file->path);
  return "";
}

}  // namespace sunup::engine
