#include "host/files.h"

#include <cerrno>

namespace sunup::host {
namespace {

template <class T>
Result<std::optional<T>> if_there(Result<T> looked) {
  if (looked) return std::optional<T>(*std::move(looked));
  if (is_absent(looked.error())) return std::optional<T>();
  return std::move(looked).error();
}

}  // namespace

bool is_absent(const Error& error) {
  return error.os_errno == ENOENT || error.os_errno == ENOTDIR;
}

Result<void> Files::write_pieces(const std::string& path, const Fill& fill, mode_t mode) {
  std::string whole;
  auto filled = fill([&whole](std::string_view piece) {
    whole += piece;
    return Result<void>();
  });
  if (!filled) return filled;
  return write(path, whole, mode);
}

Result<std::optional<std::string>> Files::read_if_there(const std::string& path, uint64_t most) {
  return if_there(read(path, most));
}

Result<std::optional<FileText>> Files::text_if_there(const std::string& path) {
  const auto info = info_if_there(path);
  if (!info) return info.error();
  auto text = *info ? read_if_there(path) : Result<std::optional<std::string>>(std::nullopt);
  if (!text) return std::move(text).error();
  if (!*text) return std::optional<FileText>();
  return std::optional(FileText{**std::move(text), (*info)->mode, FileOwner{(*info)->uid, (*info)->gid}});
}

Result<std::optional<FileInfo>> Files::info_if_there(const std::string& path) {
  return if_there(info(path));
}

Result<std::optional<std::string>> Files::link_if_there(const std::string& path) {
  auto target = read_link(path);
  if (!target && target.error().os_errno == EINVAL) return std::optional<std::string>();
  return if_there(std::move(target));
}

Result<std::vector<std::string>> Files::list_if_there(const std::string& directory) {
  auto names = list(directory);
  if (!names && is_absent(names.error())) return std::vector<std::string>();
  return names;
}

Result<bool> Files::exists(const std::string& path) {
  const auto found = info_if_there(path);
  if (!found) return found.error();
  return found->has_value();
}

}  // namespace sunup::host
