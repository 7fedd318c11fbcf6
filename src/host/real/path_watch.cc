#include "host/real/path_watch.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

namespace sunup::host::real {
namespace {

constexpr int kMostLinks = 40;  // the limit of the kernel

// Empty if it is not a link.
std::string link_target(const std::string& path) {
  std::array<char, PATH_MAX> target;
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  return {target.data(), static_cast<size_t>(std::max<ssize_t>(length, 0))};
}

}  // namespace

PathWatch::~PathWatch() {
  if (!fd_) return;
  IdleInotify left{std::move(fd_), {}};
  for (const Watched& watched : watched_) left.watches.push_back(watched.descriptor);
  idle_.push_back(std::move(left));
}

bool PathWatch::arrives() const {
  struct stat st;
  if (root_.empty()) return ::lstat(path_.c_str(), &st) == 0;
  const Fd root(::open(root_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  open_how how{};
  how.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT;
  Fd found;
  do found = Fd(static_cast<int>(::syscall(SYS_openat2, root.get(), path_.c_str(), &how, sizeof how)));
  while (!found && (errno == EINTR || errno == EAGAIN));  // EAGAIN: a concurrent rename
  return static_cast<bool>(found);
}

Result<void> PathWatch::open() {
  IdleInotify taken;
  if (idle_.empty()) {
    taken.fd = Fd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  } else {
    taken = std::move(idle_.back());
    idle_.pop_back();
  }
  if (!taken.fd) return Error::from_errno(errno, "inotify_init1");
  for (const int descriptor : taken.watches) ::inotify_rm_watch(taken.fd.get(), descriptor);
  fd_ = std::move(taken.fd);
  drain();

  // A mount over a directory causes no event of its watches. The kernel reports changes of the mount table instead, but
  // only to processes that are waiting at that moment. Therefore this waits from before the first directory is watched
  // until the end. Without /proc, mounts are not noticed.
  mounts_ = Fd(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC));
  if (!mounts_) return {};
  auto watch = FdWatch::open(loop_, mounts_.get(), EPOLLPRI, [this](uint32_t) {
    mounts_changed_ = true;
    if (waiting_) waiting_->set(true);
  });
  if (!watch) return std::move(watch).error();
  mount_watch_ = std::move(*watch);
  return {};
}

Result<void> PathWatch::watch() {
  if (!fd_)
    if (auto opened = open(); !opened) return opened;
  const std::vector<Watched> before = std::exchange(watched_, {});
  Result<void> walked = walk();
  // Removes only watches of directories that are no longer on the path, usually none.
  for (const Watched& old : before)
    if (std::ranges::find(watched_, old.descriptor, &Watched::descriptor) == watched_.end())
      ::inotify_rm_watch(fd_.get(), old.descriptor);
  return walked;
}

// Each directory is watched before its entry is checked, so that no later change is missed.
Result<void> PathWatch::walk() {
  for (size_t slash = 0; slash < root_.size();) {
    const size_t next = std::min(root_.find('/', slash + 1), root_.size());
    const auto there = look_for(root_.substr(slash + 1, next - slash - 1), root_.substr(0, slash + 1));
    if (!there) return there.error();
    slash = next;
  }
  std::string at;            // the resolved part of the path below the root
  std::string left = path_;  // the remaining part of the path
  int links = 0;
  while (true) {
    left.erase(0, left.find_first_not_of('/'));
    const std::string name = left.substr(0, left.find('/'));
    if (!name.empty()) {
      const auto there = look_for(name, root_ + (at.empty() ? "/" : at));
      if (!there) return there.error();
      if (*there) {
        left.erase(0, name.size());
        if (name == "..")
          at.erase(at.empty() ? 0 : at.rfind('/'));
        else if (name != ".")
          at.append("/").append(name);
        continue;
      }
    }
    // Not a directory, or the end of the path: continue only if this is a link.
    const std::string target = at.empty() ? std::string() : link_target(root_ + at);
    if (target.empty() || ++links > kMostLinks) return {};
    at.erase(target.starts_with('/') ? 0 : at.rfind('/'));
    left = target + "/" + left;
  }
}

// Watches the directory for this entry. Returns false if the directory does not exist. A link is not a directory,
// except at the root and above it, where names end with a slash and links are followed.
Result<bool> PathWatch::look_for(const std::string& name, const std::string& directory) {
  const int descriptor = ::inotify_add_watch(
      fd_.get(), directory.c_str(),
      IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW);
  if (descriptor < 0) {
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == ENAMETOOLONG) return false;
    return Error::from_errno(errno, "watching " + directory);
  }
  Watched watched{descriptor, name};
  if (std::ranges::find(watched_, watched) == watched_.end()) watched_.push_back(std::move(watched));
  return true;
}

Task<Result<void>> PathWatch::changed() {
  while (!std::exchange(mounts_changed_, false)) {
    const Slot<bool> news(loop_);
    const auto names = FdWatch::open(loop_, fd_.get(), EPOLLIN, [news](uint32_t) { news.set(true); });
    if (!names) co_return names.error();
    waiting_ = news;
    co_await news;
    if (drain()) break;
  }
  co_return Result<void>();
}

// Whether any event concerns the path.
bool PathWatch::drain() {
  alignas(inotify_event) std::array<char, 16u << 10> buffer;
  bool concerns = false;
  while (true) {
    const ssize_t got = ::read(fd_.get(), buffer.data(), buffer.size());
    if (got <= 0) return concerns;
    for (ssize_t at = 0; at < got;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
      const auto is_ours = [event](const Watched& watched) {
        return watched.descriptor == event->wd && (event->len == 0 || watched.name == event->name);
      };
      // The kernel also sends an event for each removed watch. Treating it as a change would renew the watches and
      // cause the same event again, without end.
      const bool goodbye = (event->mask & IN_IGNORED) != 0;
      const bool lost = (event->mask & IN_Q_OVERFLOW) != 0;
      if (lost || (!goodbye && std::ranges::any_of(watched_, is_ours))) concerns = true;
    }
  }
}

}  // namespace sunup::host::real
