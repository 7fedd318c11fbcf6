// The reading half of Files: contents, links, directories and metadata.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/input.h"
#include "host/real/files.h"

namespace sunup::host::real {
namespace {

int64_t nanoseconds(const timespec& time) {
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
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
  info.own = st.st_uid == ::geteuid();
  info.size = static_cast<uint64_t>(st.st_size);
  info.modified_ns = nanoseconds(st.st_mtim);
  info.changed_ns = nanoseconds(st.st_ctim);
  info.inode = st.st_ino;
  info.device = st.st_dev;
  return info;
}

}  // namespace

Result<std::string> Files::read(const std::string& path, uint64_t most) {
  Result<Fd> fd = open_in_root(path, O_RDONLY | O_NONBLOCK);
  if (!fd) return std::move(fd).error();
  struct stat st;
  if (::fstat(fd->get(), &st) != 0) return failed("looking at", path);
  if (S_ISFIFO(st.st_mode)) return Error::from_errno(EINVAL, "reading " + path + ", which is a pipe");
  std::string content;
  // The size is only a hint: files in /proc report 0, and files in /sys a page, however little they contain. One more
  // byte detects the end of the file without another allocation.
  constexpr uint64_t kLargestPage = 64 << 10;
  const bool sized = st.st_size > 0;
  if (sized && static_cast<uint64_t>(st.st_size) > std::max(most, kLargestPage))
    return Error::from_errno(EFBIG, "reading " + path);
  content.resize(sized ? static_cast<size_t>(st.st_size) + 1 : 4096);
  size_t have = 0;
  while (true) {
    if (have > most) return Error::from_errno(EFBIG, "reading " + path);
    if (have == content.size()) content.resize(2 * have);
    const ssize_t got = ::read(fd->get(), content.data() + have, content.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("reading", path);
    if (got == 0) break;
    have += static_cast<size_t>(got);
  }
  content.resize(have);
  return content;
}

Result<std::string> Files::read_input(const std::string& path, uint64_t most, std::chrono::seconds patience) {
  if (!root_.empty()) return read(path, most);  // users do not name files below another root
  auto text = read_input_within(patience, path, most);
  if (!text && text.error().os_errno == 0) return Error::from_errno(EFBIG, "reading " + path);
  return text;
}

Result<std::string> Files::read_part(const std::string& path, uint64_t from, size_t most) {
  Result<Fd> fd = open_in_root(path, O_RDONLY | O_NONBLOCK);
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
  if (!root_.empty()) return Error::from_errno(ENOTSUP, "free space of " + path);
  Result<Fd> fd = open_in_root(path, O_PATH);
  if (!fd) return std::move(fd).error();
  struct statvfs space;
  if (::fstatvfs(fd->get(), &space) != 0) return failed("free space of", path);
  return static_cast<uint64_t>(space.f_bavail) * space.f_frsize / 1024;
}

Result<std::vector<std::string>> Files::list(const std::string& directory) {
  Result<Fd> fd = open_in_root(directory, O_RDONLY | O_DIRECTORY);
  if (!fd) return std::move(fd).error();
  DIR* stream = ::fdopendir(fd->get());
  if (stream == nullptr) return failed("listing", directory);
  (void)fd->release();  // the stream closes it
  std::vector<std::string> names;
  while (true) {
    errno = 0;  // readdir() does not change it at the end of the directory
    const dirent* entry = ::readdir(stream);
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  const int error = errno;
  ::closedir(stream);
  if (error != 0) return Error::from_errno(error, "listing " + directory);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace sunup::host::real
