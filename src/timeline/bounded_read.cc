#include "timeline/bounded_read.h"

#include <fmt/format.h>

#include <algorithm>

namespace sunup::timeline {
namespace {

std::string size_text(uint64_t bytes) {
  if (bytes < 10 << 10) return fmt::format("{} bytes", bytes);
  return bytes < 10 << 20 ? fmt::format("{} KiB", bytes >> 10) : fmt::format("{} MiB", bytes >> 20);
}

}  // namespace

Result<BoundedText> read_ends(host::Files& files, const std::string& path, size_t most) {
  const auto info = files.info(path);
  if (!info) return info.error();
  if (info->size <= most) {
    auto text = files.read_part(path, 0, most);
    if (!text) return std::move(text).error();
    return BoundedText{std::move(*text)};
  }
  auto first = files.read_part(path, 0, most / 2);
  if (!first) return std::move(first).error();
  auto last = files.read_part(path, info->size - most / 2, most / 2);
  if (!last) return std::move(last).error();
  first->resize(first->rfind('\n') + 1);  // drop a truncated last line
  const size_t line = last->find('\n');
  last->erase(0, line == std::string::npos ? last->size() : line + 1);
  BoundedText read{std::move(*first) + *last};
  read.left_out = info->size - std::min<uint64_t>(info->size, read.text.size());
  return read;
}

std::string said_of_cut(const BoundedText& read) {
  if (read.left_out == 0) return "";
  return fmt::format("cut: {} in its middle are omitted, it has {}", size_text(read.left_out),
                     size_text(read.left_out + read.text.size()));
}

std::vector<std::string> places(const std::string& directory, std::string_view on_node) {
  std::vector<std::string> all;
  const auto add = [&](std::string_view relative) {
    std::string place = fmt::format("{}/{}", directory, relative);
    if (std::ranges::find(all, place) == all.end()) all.push_back(std::move(place));
  };
  add(on_node.substr(on_node.rfind('/') + 1));
  for (const std::string_view copied : {"/var/log/azure/", "/var/log/", "/"})
    if (on_node.starts_with(copied)) add(on_node.substr(copied.size()));
  return all;
}

std::string not_at(const std::vector<std::string>& places) {
  if (places.size() < 2) return "not at " + places.front();
  return fmt::format("neither at {} nor at {}", places.front(), places.back());
}

}  // namespace sunup::timeline
