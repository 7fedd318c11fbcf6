#include "host/real/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>

#include "host/real/fd.h"

namespace sunup::host::real {
namespace {

constexpr int kMostLinks = 40;  // the limit of the kernel

Error failed(int error, const std::string& path) {
  return Error::from_errno(error, "writing " + path);
}

Result<void> write_into(const std::string& path, std::string_view content, int flags) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | flags));
  if (!fd) return failed(errno, path);
  return write_all(fd.get(), content, "writing " + path);
}

// The path of the file behind all symbolic links, also if the last link points to a missing file.
std::string behind_links(const std::string& path) {
  std::filesystem::path at = path;
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code none;
    const auto target = std::filesystem::read_symlink(at, none);
    if (none) break;
    at = at.parent_path() / target;  // an absolute target replaces the whole path
  }
  return at.string();
}

// A file that is open as stdout or stderr must not be replaced by a rename (--out /dev/stdout >file).
std::optional<int> own_descriptor(const struct stat& wanted) {
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat open = {};
    if (::fstat(fd, &open) == 0 && open.st_dev == wanted.st_dev && open.st_ino == wanted.st_ino) return fd;
  }
  return std::nullopt;
}

Error no_fresh_file(int error, const std::string& path, const std::filesystem::path& directory) {
  if (error != ENOENT && error != ENOTDIR) return failed(error, path);
  Error missing = failed(error, path);
  missing.what =
      "writing " + path + ": " + directory.string() + (error == ENOENT ? ": no such directory" : ": not a directory");
  return missing;
}

Result<void> replace(const std::string& path, std::string_view content, mode_t mode, const struct stat* old) {
  const std::filesystem::path target = behind_links(path);
  const std::filesystem::path directory = target.has_parent_path() ? target.parent_path() : ".";
  std::string fresh = (directory / ("." + target.filename().string() + ".XXXXXX")).string();
  Fd fd(::mkostemp(fresh.data(), O_CLOEXEC));
  // The file is writable and its directory is not: write in place, without atomic replacement.
  if (!fd && old != nullptr && (errno == EACCES || errno == EPERM)) return write_into(path, content, O_TRUNC);
  if (!fd) return no_fresh_file(errno, path, directory);

  const mode_t mask = ::umask(0);
  ::umask(mask);
  const auto finish = [&]() -> Result<void> {
    if (old != nullptr && (old->st_uid != ::geteuid() || old->st_gid != ::getegid()) &&
        ::fchown(fd.get(), old->st_uid, old->st_gid) != 0 && errno != EPERM)
      return failed(errno, path);
    if (::fchmod(fd.get(), old != nullptr ? old->st_mode & mode : mode & ~mask) != 0) return failed(errno, path);
    if (auto written = write_all(fd.get(), content, "writing " + path); !written) return written;
    if (::rename(fresh.c_str(), target.c_str()) == 0) return {};
    if (errno != EBUSY) return failed(errno, path);
    ::unlink(fresh.c_str());  // a mount point cannot be replaced
    return write_into(path, content, O_TRUNC);
  };
  auto finished = finish();
  if (!finished) ::unlink(fresh.c_str());
  return finished;
}

}  // namespace

Result<void> write_output(const std::string& path, std::string_view content, mode_t mode) {
  struct stat there = {};
  if (::stat(path.c_str(), &there) != 0) {
    if (errno != ENOENT) return failed(errno, path);
    if (path.empty() || path.ends_with('/')) return failed(path.empty() ? ENOENT : EISDIR, path);
    return replace(path, content, mode, nullptr);
  }
  if (S_ISDIR(there.st_mode)) return failed(EISDIR, path);
  if (const auto fd = own_descriptor(there)) return write_all(*fd, content, "writing " + path);
  if (!S_ISREG(there.st_mode)) return write_into(path, content, 0);
  if (::access(path.c_str(), W_OK) != 0) return failed(errno, path);
  return replace(path, content, mode, &there);
}

}  // namespace sunup::host::real
