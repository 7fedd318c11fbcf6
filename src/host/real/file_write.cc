// The writing half of Files: files and links that appear atomically under their name, and appended text.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "host/real/files.h"

namespace sunup::host::real {
namespace {

// The temporary name of a file. It is the same each time, so that a re-run overwrites what a crash left behind.
std::string unfinished(const std::string& name) {
  const size_t slash = name.rfind('/');
  const size_t base = slash == std::string::npos ? 0 : slash + 1;
  return name.substr(0, base) + "." + name.substr(base) + ".sunup-new";
}

}  // namespace

Result<void> Files::replace(const std::string& path, mode_t mode, bool durable,
                            const std::function<Result<void>(int fd)>& fill,
                            const std::function<Result<void>()>& last_look, const std::optional<FileOwner>& owner) {
  Result<Place> where = place(path, true);
  if (!where) return std::move(where).error();
  const int at = where->at();
  const std::string fresh = unfinished(where->name);
  ::unlinkat(at, fresh.c_str(), 0);
  Fd fd(::openat(at, fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!fd) return failed("writing", path);

  struct stat old;
  auto finish = [&]() -> Result<void> {
    if (::fchmod(fd.get(), mode) != 0) return Error::from_errno(errno, "chmod");  // the umask removed bits
    const bool there = ::fstatat(at, where->name.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0;
    if (!there && errno != ENOENT) return Error::from_errno(errno, "looking at the old one");
    const bool secret = (mode & 077) == 0;
    const FileOwner own{::geteuid(), ::getegid()};
    const FileOwner kept = there && !secret && S_ISREG(old.st_mode) ? FileOwner{old.st_uid, old.st_gid} : own;
    const FileOwner wanted = owner.value_or(kept);
    if (wanted != own && ::fchown(fd.get(), wanted.uid, wanted.gid) != 0) return Error::from_errno(errno, "chown");
    if (auto filled = fill(fd.get()); !filled) return filled;
    if (durable && ::fsync(fd.get()) != 0) return Error::from_errno(errno, "fsync");
    if (auto looked = last_look ? last_look() : Result<void>(); !looked) return looked;
    if (::renameat(at, fresh.c_str(), at, where->name.c_str()) != 0) return Error::from_errno(errno, "rename");
    return {};
  };
  if (auto finished = finish(); !finished) {
    ::unlinkat(at, fresh.c_str(), 0);
    return std::move(finished).error().in("writing " + path);
  }
  note_written(*where);
  return durable ? sync_directory(*where, path) : Result<void>();
}

Result<void> Files::sync_directory(const Place& where, const std::string& path) {
  const Fd directory(::openat(where.at(), where.directory ? "." : split(path).first.c_str(), O_RDONLY | O_CLOEXEC));
  if (!directory || ::fsync(directory.get()) != 0) return failed("making durable:", path);
  return {};
}

Result<void> Files::write(const std::string& path, std::string_view content, mode_t mode) {
  return replace(path, mode, false, [&](int fd) { return write_all(fd, content); });
}

Result<void> Files::write_pieces(const std::string& path, const Fill& fill, mode_t mode) {
  return replace(path, mode, false,
                 [&](int fd) { return fill([fd](std::string_view piece) { return write_all(fd, piece); }); });
}

Result<void> Files::write_durable(const std::string& path, std::string_view content, mode_t mode) {
  return replace(path, mode, true, [&](int fd) { return write_all(fd, content); });
}

Result<bool> Files::replace_text(const std::string& path, const std::optional<FileText>& before,
                                 const FileText& after) {
  bool changed = false;
  const auto fill = [&](int fd) { return write_all(fd, after.text); };
  const auto last_look = [&]() -> Result<void> {
    const auto now = text_if_there(path);
    if (!now) return now.error();
    changed = *now != before;
    return changed ? Error("it has changed") : Result<void>();
  };
  auto replaced = replace(path, after.mode, true, fill, last_look, after.owner);
  if (changed) return false;
  if (!replaced) return std::move(replaced).error();
  return true;
}

Result<void> Files::copy(const std::string& from, const std::string& to, mode_t mode) {
  Result<Fd> source = open_in_root(from, O_RDONLY | O_NONBLOCK);
  if (!source) return std::move(source).error();
  struct stat st;
  if (::fstat(source->get(), &st) != 0) return failed("looking at", from);
  if (!S_ISREG(st.st_mode)) return Error::from_errno(EINVAL, "copying " + from + ", which is not a file");
  return replace(to, mode, false, [&](int fd) -> Result<void> {
    bool by_kernel = true;
    while (true) {
      ssize_t copied = by_kernel ? ::copy_file_range(source->get(), nullptr, fd, nullptr, 1 << 30, 0) : -1;
      if (by_kernel && copied < 0 && (errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP))
        by_kernel = false;  // other file systems: continue with read and write from this offset
      if (!by_kernel) {
        char buffer[64 * 1024];
        copied = ::read(source->get(), buffer, sizeof buffer);
        if (copied > 0)
          if (auto written = write_all(fd, {buffer, static_cast<size_t>(copied)}); !written) return written;
      }
      if (copied < 0 && errno == EINTR) continue;
      if (copied < 0) return Error::from_errno(errno, "copying from " + from);
      if (copied == 0) return {};
    }
  });
}

// With O_NONBLOCK, here and below, a pipe without a reader is an error (ENXIO) instead of a wait.
Result<void> Files::append(const std::string& path, std::string_view content, mode_t mode) {
  Result<Fd> fd = open_in_root(path, O_WRONLY | O_APPEND | O_NONBLOCK);
  if (!fd && fd.error().os_errno == ENOENT) {
    if (auto made = make_directories_in(split(path).first, 0755); !made) return made;
    fd = open_in_root(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_CREAT, mode);
    if (fd && ::fchmod(fd->get(), mode) != 0) return failed("setting the mode of", path);
  }
  if (!fd) return std::move(fd).error();
  if (auto written = write_all(fd->get(), content); !written) return written.error().in("appending to " + path);
  if (Result<Place> where = place(path, false)) note_written(*where);
  return {};
}

Result<void> Files::append_locked(const std::string& path, std::string_view content) {
  Result<Fd> fd = open_in_root(path, O_WRONLY | O_APPEND | O_NONBLOCK);
  if (!fd) return std::move(fd).error();
  if (::flock(fd->get(), LOCK_EX | LOCK_NB) != 0) return failed("locking", path);
  // Closing the descriptor releases the lock.
  if (auto written = write_all(fd->get(), content); !written) return written.error().in("appending to " + path);
  if (Result<Place> where = place(path, false)) note_written(*where);
  return {};
}

Result<void> Files::write_in_place(const std::string& path, std::string_view content) {
  Result<Fd> fd = open_in_root(path, O_WRONLY | O_NONBLOCK);
  if (!fd) return std::move(fd).error();
  if (auto written = write_all(fd->get(), content); !written) return written.error().in("writing " + path);
  return {};
}

Result<void> Files::symlink(const std::string& target, const std::string& path) {
  Result<Place> where = place(path, true);
  if (!where) return std::move(where).error();
  const std::string fresh = unfinished(where->name);
  ::unlinkat(where->at(), fresh.c_str(), 0);
  if (::symlinkat(target.c_str(), where->at(), fresh.c_str()) != 0) return failed("making the link", path);
  if (::renameat(where->at(), fresh.c_str(), where->at(), where->name.c_str()) != 0) {
    Error error = failed("making the link", path);
    ::unlinkat(where->at(), fresh.c_str(), 0);
    return error;
  }
  note_written(*where);
  return {};
}

}  // namespace sunup::host::real
