// The functions of Watch that wait for a final state: a file that is being written, the host name.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>

#include "base/node_paths.h"
#include "host/real/watch.h"
#include "host/running.h"

namespace sunup::host::real {
namespace {

// The kernel grants a read lease only while no process has the file open for writing. Reading /proc could not determine
// this reliably. On file systems without leases the file counts as written.
bool is_being_written(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file) return false;
  ::fcntl(file.get(), F_SETSIG, SIGURG);  // a new writer breaks the lease; the default SIGIO would end the process
  if (::fcntl(file.get(), F_SETLEASE, F_RDLCK) != 0) return errno == EAGAIN;
  ::fcntl(file.get(), F_SETLEASE, F_UNLCK);
  return false;
}

std::string first_line(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 512> buffer;
  const ssize_t got = file ? ::read(file.get(), buffer.data(), buffer.size()) : 0;
  const std::string text(buffer.data(), static_cast<size_t>(got > 0 ? got : 0));
  return text.substr(0, text.find('\n'));
}

std::string running_hostname() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

// Watches all changes of a directory's entries and their content. The descriptor is reused by later watches, because
// closing one takes the kernel up to 20 ms.
class DirectoryChanges {
 public:
  static Result<DirectoryChanges> open(std::vector<IdleInotify>& idle, const std::string& directory) {
    Fd fd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (!fd) return Error::from_errno(errno, "inotify_init1");
    const int watch =
        ::inotify_add_watch(fd.get(), directory.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_DELETE);
    if (watch < 0) return Error::from_errno(errno, "watching " + directory);
    return DirectoryChanges(idle, std::move(fd), watch);
  }
  DirectoryChanges(DirectoryChanges&&) = default;
  ~DirectoryChanges() {
    if (!fd_) return;
    idle_->push_back({std::move(fd_), {watch_}});
  }

  int fd() const { return fd_.get(); }
  void forget() {
    std::array<char, 4096> buffer;
    while (::read(fd_.get(), buffer.data(), buffer.size()) > 0) {
    }
  }

 private:
  DirectoryChanges(std::vector<IdleInotify>& idle, Fd fd, int watch)
      : idle_(&idle), fd_(std::move(fd)), watch_(watch) {}
  std::vector<IdleInotify>* idle_;
  Fd fd_;
  int watch_;
};

}  // namespace

Task<Result<void>> Watch::file_is_written(std::string path) {
  const std::string whole = root_ + path;
  if (!is_being_written(whole)) co_return Result<void>();
  auto changes = DirectoryChanges::open(idle_inotify_, whole.substr(0, whole.rfind('/')));
  if (!changes) co_return std::move(changes).error();
  // The kernel reports the close shortly before it releases the file. Therefore the state is read once more after each
  // event, with growing delays.
  Duration pause = std::chrono::milliseconds(1);
  constexpr Duration kLongest = std::chrono::seconds(1);
  while (is_being_written(whole)) {
    co_await first_of(loop_, fd_ready(loop_, changes->fd(), EPOLLIN), loop_.after(pause));
    changes->forget();
    pause = std::min(2 * pause, kLongest);
  }
  co_return Result<void>();
}

Task<Result<void>> Watch::hostname_is_final() {
  const auto is_final = [this] { return running_hostname() == first_line(root_ + paths::kHostName); };
  if (is_final()) co_return Result<void>();
  auto changes = DirectoryChanges::open(idle_inotify_, root_ + "/etc");
  if (!changes) co_return std::move(changes).error();
  const Fd name(::open("/proc/sys/kernel/hostname", O_RDONLY | O_CLOEXEC));
  if (!name) co_return Error::from_errno(errno, "opening /proc/sys/kernel/hostname");
  while (true) {
    const Slot<bool> changed(loop_);
    const auto wake = [changed](uint32_t) { changed.set(true); };
    const auto of_file = FdWatch::open(loop_, changes->fd(), EPOLLIN, wake);
    if (!of_file) co_return of_file.error();
    const auto of_kernel = FdWatch::open(loop_, name.get(), EPOLLPRI, wake);
    if (!of_kernel) co_return of_kernel.error();
    if (is_final()) co_return Result<void>();  // read after both watches exist, so that no change is missed
    co_await changed;
    changes->forget();
  }
}

}  // namespace sunup::host::real
