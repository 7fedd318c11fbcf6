// The removing half of Files. Removing something that does not exist is not an error.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "host/real/files.h"

namespace sunup::host::real {
namespace {

Result<void> remove_tree_at(int at, const std::string& name) {
  if (::unlinkat(at, name.c_str(), 0) == 0 || errno == ENOENT) return {};
  if (errno != EISDIR && errno != EPERM && errno != ENOTEMPTY) return Error::from_errno(errno, "unlink");
  const int fd = ::openat(at, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT ? Result<void>() : Error::from_errno(errno, "open");
  DIR* directory = ::fdopendir(fd);
  if (directory == nullptr) {
    const int error = errno;
    ::close(fd);
    return Error::from_errno(error, "list");
  }
  Result<void> result;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(directory);
    if (entry == nullptr) {
      if (errno != 0 && result) result = Error::from_errno(errno, "list");
      break;
    }
    const std::string_view child = entry->d_name;
    if (child == "." || child == "..") continue;
    if (auto removed = remove_tree_at(::dirfd(directory), entry->d_name); !removed && result) result = removed;
  }
  ::closedir(directory);
  if (!result) return result;
  if (::unlinkat(at, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) return Error::from_errno(errno, "rmdir");
  return {};
}

}  // namespace

Result<void> Files::remove(const std::string& path) {
  Result<Place> where = place(path, false);
  if (!where) return where.error().os_errno == ENOENT ? Result<void>() : std::move(where).error();
  if (::unlinkat(where->at(), where->name.c_str(), 0) == 0 || errno == ENOENT)
    return note_written(*where), Result<void>();
  if (errno == EISDIR && ::unlinkat(where->at(), where->name.c_str(), AT_REMOVEDIR) == 0) return {};
  return failed("removing", path);
}

Result<void> Files::remove_durable(const std::string& path) {
  Result<Place> where = place(path, false);
  if (!where) return where.error().os_errno == ENOENT ? Result<void>() : std::move(where).error();
  struct stat there;
  if (::fstatat(where->at(), where->name.c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT) return {};
  if (auto removed = remove(path); !removed) return removed;
  return sync_directory(*where, path);
}

Result<void> Files::remove_tree(const std::string& path) {
  Result<Place> where = place(path, false);
  if (!where) return where.error().os_errno == ENOENT ? Result<void>() : std::move(where).error();
  if (auto removed = remove_tree_at(where->at(), where->name); !removed) return removed.error().in("removing " + path);
  note_written(*where);
  return {};
}

}  // namespace sunup::host::real
