#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "contract/load.h"
#include "contract/path.h"

namespace sunup::contract {

Result<std::string> read_config_file(const std::string& path) {
  const std::string shown = one_line(path);
  const auto trouble = [&](int error) { return Error::from_errno(error, shown); };
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return trouble(errno);
  struct Closer {
    int fd;
    ~Closer() { close(fd); }
  } closer{fd};

  struct stat info = {};
  if (fstat(fd, &info) != 0) return trouble(errno);
  if (S_ISDIR(info.st_mode)) return trouble(EISDIR);
  // A pipe has no size, and a file may grow while it is read: the limit is kept by reading one byte beyond it.
  std::string text;
  text.resize(std::min<size_t>(static_cast<size_t>(info.st_size), kMaxConfigBytes) + 1);
  size_t have = 0;
  while (true) {
    if (have == text.size()) {
      if (have > kMaxConfigBytes) break;
      text.resize(std::min(have * 2 + 4096, kMaxConfigBytes + 1));
    }
    const ssize_t n = read(fd, text.data() + have, text.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return trouble(errno);
    if (n == 0) break;
    have += static_cast<size_t>(n);
  }
  text.resize(have);
  if (have > kMaxConfigBytes) return Error(shown + ": larger than 16 MiB");
  return text;
}

}  // namespace sunup::contract
