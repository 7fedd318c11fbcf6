#include "host/real/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace sunup::host::real {
namespace {

Error failed(std::string_view doing, const std::string& path) {
  return Error::from_errno(errno, fmt::format("{} {}", doing, path));
}

Result<void> write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return Error::from_errno(errno, "write");
    }
    content.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

FileInfo to_info(const struct stat& st) {
  FileInfo info;
  info.kind = S_ISREG(st.st_mode)    ? FileKind::kRegular
              : S_ISDIR(st.st_mode)  ? FileKind::kDirectory
              : S_ISLNK(st.st_mode)  ? FileKind::kSymlink
              : S_ISSOCK(st.st_mode) ? FileKind::kSocket
                                     : FileKind::kOther;
  info.mode = st.st_mode & 07777;
  info.uid = st.st_uid;
  info.gid = st.st_gid;
  info.size = static_cast<uint64_t>(st.st_size);
  info.modified_ns = static_cast<int64_t>(st.st_mtim.tv_sec) * 1'000'000'000 + st.st_mtim.tv_nsec;
  return info;
}

// The name a file has until it is whole. The same one each time: what a crash leaves behind, the re-run overwrites.
std::string unfinished(const std::string& name) {
  const size_t slash = name.rfind('/');
  const size_t base = slash == std::string::npos ? 0 : slash + 1;
  return name.substr(0, base) + "." + name.substr(base) + ".sunup-new";
}

std::pair<std::string, std::string> split(const std::string& path) {
  const size_t slash = path.rfind('/');
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

Result<void> remove_tree_at(int at, const std::string& name) {
  if (::unlinkat(at, name.c_str(), 0) == 0 || errno == ENOENT) return {};
  if (errno != EISDIR && errno != EPERM && errno != ENOTEMPTY) return Error::from_errno(errno, "unlink");
  const int fd = ::openat(at, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT ? Result<void>() : Error::from_errno(errno, "open");
  DIR* directory = ::fdopendir(fd);
  Result<void> result;
  while (const dirent* entry = ::readdir(directory)) {
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

Files::Files(Loop& loop, std::string root)
    : loop_(loop), root_([&] {
        while (!root.empty() && root.back() == '/') root.pop_back();
        return std::move(root);
      }()) {
  if (!root_.empty()) root_fd_ = Fd(::open(root_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

int Files::Place::at() const {
  return directory ? directory.get() : AT_FDCWD;
}

Result<Fd> Files::open_in_root(const std::string& path, int flags, mode_t mode) {
  if (!path.starts_with('/')) {
    errno = EINVAL;
    return failed("not an absolute path:", path);
  }
  flags |= O_CLOEXEC;
  int fd;
  do {
    if (root_.empty()) {
      fd = ::open(path.c_str(), flags, mode);
    } else {
      open_how how{};
      how.flags = static_cast<uint64_t>(flags);
      how.mode = (flags & O_CREAT) ? mode : 0;
      how.resolve = RESOLVE_IN_ROOT;
      fd = static_cast<int>(::syscall(SYS_openat2, root_fd_.get(), path.c_str(), &how, sizeof how));
    }
  } while (fd < 0 && (errno == EINTR || (errno == EAGAIN && !root_.empty())));  // EAGAIN: a rename raced with us
  if (fd < 0) return failed("opening", path);
  return Fd(fd);
}

Result<Files::Place> Files::place(const std::string& path, bool make_parents) {
  if (!path.starts_with('/') || path.ends_with('/')) {
    errno = EINVAL;
    return failed("not an absolute path of a file:", path);
  }
  auto [parent, name] = split(path);
  if (make_parents) {
    if (auto made = make_directories_in(parent, 0755); !made) return std::move(made).error();
  }
  if (root_.empty()) return Place{Fd(), path};
  Result<Fd> directory = open_in_root(parent, O_PATH | O_DIRECTORY);
  if (!directory) return std::move(directory).error();
  return Place{std::move(*directory), std::move(name)};
}

Result<void> Files::make_directories_in(const std::string& path, mode_t mode) {
  if (auto there = open_in_root(path, O_PATH | O_DIRECTORY))
    return {};
  else if (there.error().os_errno != ENOENT)
    return std::move(there).error();
  Result<Place> where = place(path, true);
  if (!where) return std::move(where).error();
  // Never wider than asked for; with the usual umask right from birth, so that a crash now leaves nothing to mend.
  if (::mkdirat(where->at(), where->name.c_str(), mode) != 0)
    return errno == EEXIST ? Result<void>() : failed("making directory", path);
  if (::fchmodat(where->at(), where->name.c_str(), mode, 0) != 0) return failed("setting the mode of", path);
  note_written(*where);
  return {};
}

void Files::note_written(const Place& place) {
  struct stat st;
  const std::string directory = place.directory ? "." : split(place.name).first;
  if (::fstatat(place.at(), directory.c_str(), &st, 0) != 0) return;
  const std::lock_guard guard(written_mutex_);
  if (written_.contains(st.st_dev)) return;
  if (Fd fd(::openat(place.at(), directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)); fd)
    written_.emplace(st.st_dev, std::move(fd));
}

Result<std::string> Files::read(const std::string& path) {
  Result<Fd> fd = open_in_root(path, O_RDONLY | O_NONBLOCK);  // a pipe that nobody writes to is empty, not waited for
  if (!fd) return std::move(fd).error();
  struct stat st;
  std::string content;
  // The size is only a first guess: files in /proc and /sys say 0 or 4096. One byte more, so that the end is met
  // without asking for memory again.
  const bool sized = ::fstat(fd->get(), &st) == 0 && st.st_size > 0;
  content.resize(sized ? static_cast<size_t>(st.st_size) + 1 : 4096);
  size_t have = 0;
  while (true) {
    if (have == content.size()) content.resize(2 * have);
    const ssize_t got = ::read(fd->get(), content.data() + have, content.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN && ::fcntl(fd->get(), F_SETFL, 0) == 0) continue;  // somebody does write
    if (got < 0) return failed("reading", path);
    if (got == 0) break;
    have += static_cast<size_t>(got);
  }
  content.resize(have);
  return content;
}

Result<std::string> Files::read_part(const std::string& path, uint64_t from, size_t most) {
  Result<Fd> fd = open_in_root(path, O_RDONLY);
  if (!fd) return std::move(fd).error();
  struct stat st;
  if (::fstat(fd->get(), &st) != 0) return failed("looking at", path);
  const uint64_t size = st.st_size > 0 ? static_cast<uint64_t>(st.st_size) : 0;
  std::string content(std::min<uint64_t>(most, size > from ? size - from : 0), '\0');
  size_t have = 0;
  while (have < content.size()) {
    const ssize_t got =
        ::pread(fd->get(), content.data() + have, content.size() - have, static_cast<off_t>(from + have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("reading", path);
    if (got == 0) break;
    have += static_cast<size_t>(got);
  }
  content.resize(have);
  return content;
}

Result<FileInfo> Files::info(const std::string& path) {
  struct stat st;
  if (root_.empty()) {
    if (::stat(path.c_str(), &st) != 0) return failed("looking at", path);
    return to_info(st);
  }
  Result<Fd> fd = open_in_root(path, O_PATH);
  if (!fd) return std::move(fd).error();
  if (::fstat(fd->get(), &st) != 0) return failed("looking at", path);
  return to_info(st);
}

Result<std::string> Files::read_link(const std::string& path) {
  Result<Place> where = place(path, false);
  if (!where) return std::move(where).error();
  std::string target(4096, '\0');
  const ssize_t length = ::readlinkat(where->at(), where->name.c_str(), target.data(), target.size());
  if (length < 0) return failed("reading the link", path);
  target.resize(static_cast<size_t>(length));
  return target;
}

Result<uint64_t> Files::free_kib(const std::string& path) {
  Result<Fd> fd = open_in_root(path, O_PATH);
  if (!fd) return std::move(fd).error();
  struct statvfs space;
  if (::fstatvfs(fd->get(), &space) != 0) return failed("free space of", path);
  return static_cast<uint64_t>(space.f_bavail) * space.f_frsize / 1024;
}

Result<std::vector<std::string>> Files::list(const std::string& directory) {
  Result<Fd> fd = open_in_root(directory, O_RDONLY | O_DIRECTORY);
  if (!fd) return std::move(fd).error();
  DIR* stream = ::fdopendir(::dup(fd->get()));
  if (stream == nullptr) return failed("listing", directory);
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(stream)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  ::closedir(stream);
  std::sort(names.begin(), names.end());
  return names;
}

Result<void> Files::replace(const std::string& path, mode_t mode, bool durable,
                            const std::function<Result<void>(int fd)>& fill) {
  Result<Place> where = place(path, true);
  if (!where) return std::move(where).error();
  const int at = where->at();
  const std::string fresh = unfinished(where->name);
  ::unlinkat(at, fresh.c_str(), 0);
  Fd fd(::openat(at, fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!fd) return failed("writing", path);

  struct stat old;
  auto finish = [&]() -> Result<void> {
    if (::fchmod(fd.get(), mode) != 0) return Error::from_errno(errno, "chmod");  // the umask took bits away
    if (::fstatat(at, where->name.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(old.st_mode) &&
        (old.st_uid != ::geteuid() || old.st_gid != ::getegid()) && ::fchown(fd.get(), old.st_uid, old.st_gid) != 0)
      return Error::from_errno(errno, "chown");
    if (auto filled = fill(fd.get()); !filled) return filled;
    if (durable && ::fsync(fd.get()) != 0) return Error::from_errno(errno, "fsync");
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

Result<void> Files::write_durable(const std::string& path, std::string_view content, mode_t mode) {
  return replace(path, mode, true, [&](int fd) { return write_all(fd, content); });
}

Result<void> Files::copy(const std::string& from, const std::string& to, mode_t mode) {
  Result<Fd> source = open_in_root(from, O_RDONLY);
  if (!source) return std::move(source).error();
  return replace(to, mode, false, [&](int fd) -> Result<void> {
    bool by_kernel = true;
    while (true) {
      ssize_t copied = by_kernel ? ::copy_file_range(source->get(), nullptr, fd, nullptr, 1 << 30, 0) : -1;
      if (by_kernel && copied < 0 && (errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP))
        by_kernel = false;  // other file systems; go on by hand from where it stands
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

Result<void> Files::append(const std::string& path, std::string_view content, mode_t mode) {
  Result<Fd> fd = open_in_root(path, O_WRONLY | O_APPEND);
  if (!fd && fd.error().os_errno == ENOENT) {
    if (auto made = make_directories_in(split(path).first, 0755); !made) return made;
    fd = open_in_root(path, O_WRONLY | O_APPEND | O_CREAT, mode);
    if (fd && ::fchmod(fd->get(), mode) != 0) return failed("setting the mode of", path);
  }
  if (!fd) return std::move(fd).error();
  if (auto written = write_all(fd->get(), content); !written) return written.error().in("appending to " + path);
  if (Result<Place> where = place(path, false)) note_written(*where);
  return {};
}

Result<void> Files::append_locked(const std::string& path, std::string_view content) {
  Result<Fd> fd = open_in_root(path, O_WRONLY | O_APPEND);
  if (!fd) return std::move(fd).error();
  if (::flock(fd->get(), LOCK_EX | LOCK_NB) != 0) return failed("locking", path);
  // Closing the descriptor gives the lock back.
  if (auto written = write_all(fd->get(), content); !written) return written.error().in("appending to " + path);
  if (Result<Place> where = place(path, false)) note_written(*where);
  return {};
}

Result<void> Files::write_in_place(const std::string& path, std::string_view content) {
  Result<Fd> fd = open_in_root(path, O_WRONLY);
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

Result<void> Files::rename(const std::string& from, const std::string& to) {
  Result<Place> source = place(from, false);
  if (!source) return std::move(source).error();
  Result<Place> target = place(to, true);
  if (!target) return std::move(target).error();
  if (::renameat(source->at(), source->name.c_str(), target->at(), target->name.c_str()) != 0)
    return failed("renaming " + from + " to", to);
  note_written(*target);
  return {};
}

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

Result<void> Files::make_directories(const std::string& path, mode_t mode) {
  if (!path.starts_with('/')) {
    errno = EINVAL;
    return failed("not an absolute path:", path);
  }
  return make_directories_in(path, mode);
}

Result<void> Files::set_mode(const std::string& path, mode_t mode) {
  Result<Fd> fd = open_in_root(path, O_RDONLY | O_NONBLOCK);
  if (!fd) return std::move(fd).error();
  if (::fchmod(fd->get(), mode) != 0) return failed("setting the mode of", path);
  return {};
}

Result<void> Files::set_owner(const std::string& path, uid_t uid, gid_t gid) {
  Result<Fd> fd = open_in_root(path, O_RDONLY | O_NONBLOCK);
  if (!fd) return std::move(fd).error();
  if (::fchown(fd->get(), uid, gid) != 0) return failed("setting the owner of", path);
  return {};
}

Task<Result<void>> Files::sync() {
  // What we wrote, and where an earlier process of this boot may have written whose work we took over.
  std::map<dev_t, Fd> systems;
  for (const char* place : {"/", "/etc", "/home", "/opt", "/usr", "/var", "/var/lib", "/var/log"}) {
    Result<Fd> fd = open_in_root(place, O_RDONLY | O_DIRECTORY);
    struct stat st;
    if (fd && ::fstat(fd->get(), &st) == 0) systems.emplace(st.st_dev, std::move(*fd));
  }
  {
    const std::lock_guard guard(written_mutex_);
    for (const auto& [device, fd] : written_)
      if (!systems.contains(device)) systems.emplace(device, Fd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0)));
  }
  auto held = std::make_shared<std::map<dev_t, Fd>>(std::move(systems));
  auto error = std::make_shared<int>(0);
  std::function<void()> job = [held, error] {
    for (const auto& [device, fd] : *held)
      if (::syncfs(fd.get()) != 0 && errno != EROFS) *error = errno;
  };
  Result<void> ran = co_await on_own_thread(loop_, std::move(job));
  if (!ran) co_return ran;
  if (*error != 0) co_return Error::from_errno(*error, "syncing the disk");
  co_return Result<void>();
}

}  // namespace sunup::host::real
