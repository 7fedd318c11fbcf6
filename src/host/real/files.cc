#include "host/real/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace sunup::host::real {

Error Files::failed(std::string_view doing, const std::string& path) {
  return Error::from_errno(errno, fmt::format("{} {}", doing, path));
}

std::pair<std::string, std::string> Files::split(const std::string& path) {
  const size_t slash = path.rfind('/');
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

namespace {

std::string without_slashes_at_its_end(std::string path) {
  while (!path.empty() && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

Files::Files(Loop& loop, std::string root) : Files(loop, std::move(root), "") {}

Files::Files(Loop& loop, std::string root, std::string prefix)
    : loop_(loop),
      root_(without_slashes_at_its_end(std::move(root))),
      prefix_(without_slashes_at_its_end(std::move(prefix))) {}

int Files::Place::at() const {
  return directory ? directory.get() : AT_FDCWD;
}

std::string Files::in_root(const std::string& path) const {
  if (prefix_.empty()) return path;
  if (path == prefix_) return "/";
  return path.starts_with(prefix_ + "/") ? path.substr(prefix_.size()) : "";  // an empty path does not exist
}

Result<Fd> Files::open_in_root(const std::string& path, int flags, mode_t mode) {
  if (!path.starts_with('/')) {
    errno = EINVAL;
    return failed("not an absolute path:", path);
  }
  flags |= O_CLOEXEC;
  // Opened here, so that if this fails once, only the requested operation fails.
  if (!root_.empty() && !root_fd_) root_fd_ = Fd(::open(root_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root_.empty() && !root_fd_) return failed("opening", root_);
  int fd;
  do {
    if (root_.empty()) {
      fd = ::open(path.c_str(), flags, mode);
    } else {
      open_how how{};
      how.flags = static_cast<uint64_t>(flags);
      how.mode = (flags & O_CREAT) ? mode : 0;
      how.resolve = RESOLVE_IN_ROOT;
      fd = static_cast<int>(::syscall(SYS_openat2, root_fd_.get(), in_root(path).c_str(), &how, sizeof how));
    }
  } while (fd < 0 && (errno == EINTR || (errno == EAGAIN && !root_.empty())));  // EAGAIN: a concurrent rename
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
  // Never more permissive than requested. With the usual umask the mode is right from the start, so that a crash leaves
  // nothing to correct.
  if (::mkdirat(where->at(), where->name.c_str(), mode) != 0)
    return errno == EEXIST ? Result<void>() : failed("making directory", path);
  if (::fchmodat(where->at(), where->name.c_str(), mode, 0) != 0) return failed("setting the mode of", path);
  note_written(*where);
  return {};
}

void Files::note_written(const Place& place) {
  struct stat st;
  const std::string directory = place.directory ? "." : split(place.name).first;
  const bool seen = ::fstatat(place.at(), directory.c_str(), &st, 0) == 0;
  const std::lock_guard guard(written_mutex_);
  if (seen && written_.contains(st.st_dev)) return;
  if (Fd fd(seen ? ::openat(place.at(), directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1); fd)
    written_.emplace(st.st_dev, std::move(fd));
  else if (errno != ENOENT && errno != ENOTDIR)  // it has been removed since, together with what was written
    not_noted_ = errno;
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
  // The directories that this process wrote to, and those of an earlier process of this boot whose work it resumed.
  std::map<dev_t, Fd> systems;
  for (const char* place : {"/", "/etc", "/home", "/opt", "/usr", "/var", "/var/lib", "/var/log"}) {
    Result<Fd> fd = open_in_root(place, O_RDONLY | O_DIRECTORY);
    if (!fd && is_absent(fd.error())) continue;
    if (!fd) co_return std::move(fd).error().in("syncing the disk");
    struct stat st;
    if (::fstat(fd->get(), &st) != 0) co_return failed("syncing the disk: looking at", place);
    systems.emplace(st.st_dev, std::move(*fd));
  }
  {
    const std::lock_guard guard(written_mutex_);
    if (not_noted_ != 0) co_return Error::from_errno(not_noted_, "syncing the disk");
    for (const auto& [device, fd] : written_)
      if (!systems.contains(device)) systems.emplace(device, Fd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0)));
  }
  auto held = std::make_shared<std::map<dev_t, Fd>>(std::move(systems));
  auto error = std::make_shared<int>(0);
  std::function<void()> job = [held, error] {
    for (const auto& [device, fd] : *held)
      if (::syncfs(fd.get()) != 0 && errno != EROFS) *error = errno;
  };
  if (auto ran = co_await on_own_thread(loop_, std::move(job)); !ran) co_return ran;
  if (*error != 0) co_return Error::from_errno(*error, "syncing the disk");
  co_return Result<void>();
}

}  // namespace sunup::host::real
