// Locks with an owner: flock() is the lock, the content of the file names the owner.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "host/real/boot.h"
#include "host/real/files.h"

namespace sunup::host::real {
namespace {

class HeldLock : public FileLock {
 public:
  explicit HeldLock(Fd fd) : fd_(std::move(fd)) {}
  ~HeldLock() override { ::flock(fd_.get(), LOCK_UN); }

 private:
  Fd fd_;
};

// One line: "pid start_ticks boot_id note". What cannot be read is written as not known.
void write_owner(int fd, const std::string& note) {
  const auto start = process_start_ticks(::getpid());
  const auto boot = boot_id();
  const std::string line = fmt::format("{} {} {} {}\n", ::getpid(), start ? start->value_or(0) : 0,
                                       boot ? *boot : std::string("unknown"), note);
  if (::ftruncate(fd, 0) == 0) [[maybe_unused]]
    const ssize_t ignored = ::pwrite(fd, line.data(), line.size(), 0);  // the lock does not depend on it
}

}  // namespace

Result<std::unique_ptr<FileLock>> Files::try_lock(const std::string& path, const std::string& note) {
  if (auto where = place(path, true); !where) return std::move(where).error();
  Result<Fd> fd = open_in_root(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
  if (!fd) return std::move(fd).error();
  if (::flock(fd->get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return Error::from_errno(errno, "locking " + path);
    Error busy = Error::from_errno(EWOULDBLOCK, "locking " + path);
    if (auto owner = lock_owner(path)) busy.what = fmt::format("{} is held by process {}", path, owner->pid);
    return busy;
  }
  write_owner(fd->get(), note);
  return std::unique_ptr<FileLock>(new HeldLock(std::move(*fd)));
}

Task<Result<std::unique_ptr<FileLock>>> Files::lock(std::string path, std::string note) {
  using Lock = std::unique_ptr<FileLock>;
  if (auto where = place(path, true); !where) co_return std::move(where).error();
  Result<Fd> fd = open_in_root(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
  if (!fd) co_return std::move(fd).error();
  // Only a thread that blocks in flock() waits without missing a wake-up, for any owner and any way in which it ends.
  // If the task is cancelled, the thread closes the descriptor, and thereby the lock, when it gets the lock.
  auto held = std::make_shared<Fd>(std::move(*fd));
  auto error = std::make_shared<int>(0);
  if (::flock(held->get(), LOCK_EX | LOCK_NB) != 0) {
    std::function<void()> job = [held, error] {
      while (::flock(held->get(), LOCK_EX) != 0)
        if (errno != EINTR) {
          *error = errno;
          return;
        }
    };
    if (auto ran = co_await on_own_thread(loop_, std::move(job)); !ran) co_return std::move(ran).error();
    if (*error != 0) co_return Error::from_errno(*error, "locking " + path);
  }
  write_owner(held->get(), note);
  co_return Lock(new HeldLock(std::move(*held)));
}

Result<LockOwner> Files::lock_owner(const std::string& path) {
  Result<std::string> line = read(path);
  if (!line) return std::move(line).error();
  LockOwner owner;
  const char* at = line->data();
  const char* const end = at + line->size();
  auto number = [&](auto* into) {
    const auto [next, error] = std::from_chars(at, end, *into);
    at = next < end ? next + 1 : next;
    return error == std::errc();
  };
  if (!number(&owner.pid) || !number(&owner.start_ticks)) return Error(path + ": it contains no owner");
  const std::string_view rest(at, static_cast<size_t>(end - at));
  const size_t space = rest.find(' ');
  owner.boot_id = rest.substr(0, space);
  if (space != std::string_view::npos) owner.note = rest.substr(space + 1, rest.find('\n') - space - 1);
  return owner;
}

}  // namespace sunup::host::real
