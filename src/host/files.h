// Files, all below one root. Calls return at once (they take microseconds); only the durability barrier waits.
//
// A reader never sees half a file: write() and symlink() create the new file beside the old one, with its final mode,
// and rename it into place. Nothing is guaranteed to survive a power cut until sync() has returned.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/task.h"

namespace sunup::host {

enum class FileKind { kRegular, kDirectory, kSymlink, kSocket, kOther };

struct FileInfo {
  FileKind kind = FileKind::kOther;
  mode_t mode = 0;  // permission bits
  uid_t uid = 0;
  gid_t gid = 0;
  bool own = true;  // belongs to the user of this process
  uint64_t size = 0;
  int64_t modified_ns = 0;  // wall clock, since the epoch
  int64_t changed_ns = 0;   // of any change to the file or its metadata (st_ctime): cannot be set back
  uint64_t inode = 0;       // a different one at the same path: the file was replaced
  uint64_t device = 0;      // of the file system; inode numbers are unique only within it

  bool operator==(const FileInfo&) const = default;
};

struct FileOwner {
  uid_t uid = 0;
  gid_t gid = 0;

  bool operator==(const FileOwner&) const = default;
};

// The content of a file, its mode and its owner, for programs that edit it (edit.h).
struct FileText {
  std::string text;
  mode_t mode = 0644;
  std::optional<FileOwner> owner = {};  // of a file that is to be written, empty: as with write()

  bool operator==(const FileText&) const = default;
};

// Files get the time of the kernel's last tick, so a file may be younger than its time by this much.
inline constexpr int64_t kFileTimeTickNs = 10'000'000;

// The default limit for reading a file. Texts of a node are far smaller, and an endless or huge sparse file must not
// use up all memory.
inline constexpr uint64_t kLargestText = uint64_t{64} << 20;

// The owner of a lock: enough to distinguish a live owner from one that died or ran before a reboot.
struct LockOwner {
  pid_t pid = 0;
  uint64_t start_ticks = 0;  // of the process, to detect a reused pid; 0: not known
  std::string boot_id;
  std::string note;  // any text from the owner, one line
};

// The lock is held as long as the object exists. The kernel releases it when the process ends for any reason.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

// Whether the path does not exist: ENOENT or ENOTDIR, and no other error.
bool is_absent(const Error& error);

class Files {
 public:
  virtual ~Files() = default;

  // The file must exist; otherwise the error is ENOENT. EFBIG: it is larger than `most`. A pipe or a terminal, whose
  // content may never end, is an error (EINVAL, EAGAIN): reading never waits.
  virtual Result<std::string> read(const std::string& path, uint64_t most = kLargestText) = 0;
  // The same for an input that a user names. A pipe is read to its end, which blocks this thread. ETIMEDOUT: its writer
  // takes longer than `patience`.
  virtual Result<std::string> read_input(const std::string& path, uint64_t most, std::chrono::seconds /*patience*/) {
    return read(path, most);
  }
  // At most `most` bytes from this offset; fewer at the end of the file.
  virtual Result<std::string> read_part(const std::string& path, uint64_t from, size_t most) {
    auto whole = read(path);
    if (whole) *whole = from < whole->size() ? whole->substr(from, most) : std::string();
    return whole;
  }
  virtual Result<FileInfo> info(const std::string& path) = 0;  // of the target of a symlink; ENOENT if absent
  virtual Result<std::string> read_link(const std::string& path) = 0;
  // Free KiB, for unprivileged users, on the file system that contains this path. ENOTSUP below a root other than "/",
  // because the free space there is that of the builder, not of the node.
  virtual Result<uint64_t> free_kib(const std::string& path) = 0;
  virtual Result<std::vector<std::string>> list(const std::string& directory) = 0;  // names, sorted; without . and ..

  // The same for paths that may be absent: the result is empty if the path does not exist (is_absent()). Any other
  // failure (EIO, EMFILE, EACCES ...) is an error, because a file that cannot be read may still exist.
  Result<std::optional<std::string>> read_if_there(const std::string& path, uint64_t most = kLargestText);
  Result<std::optional<FileText>> text_if_there(const std::string& path);
  Result<std::optional<FileInfo>> info_if_there(const std::string& path);
  Result<std::optional<std::string>> link_if_there(const std::string& path);  // also empty if it is not a link
  Result<std::vector<std::string>> list_if_there(const std::string& directory);
  Result<bool> exists(const std::string& path);

  // Atomic: the path has either the old content or the new one. Missing parent directories are created (0755). The mode
  // is exact (the umask has no effect) and set from the start. The owner of an existing file is kept, unless the mode
  // gives access only to the owner: a secret file belongs to this process, even if another user had a file of that
  // name.
  virtual Result<void> write(const std::string& path, std::string_view content, mode_t mode = 0644) = 0;
  // The same for content that comes in pieces, which are not kept in memory. `fill` passes them to the function that it
  // receives. The file is renamed into place if `fill` returns no error.
  using Piece = std::function<Result<void>(std::string_view piece)>;
  using Fill = std::function<Result<void>(const Piece& out)>;
  virtual Result<void> write_pieces(const std::string& path, const Fill& fill, mode_t mode = 0644);
  // The same, but durable on return (fsync of file and directory). For the few files that are read first after a power
  // cut; the one barrier covers all others.
  virtual Result<void> write_durable(const std::string& path, std::string_view content, mode_t mode = 0644) = 0;
  // write_durable(), but only if the path is still as text_if_there() returned it in `before` (empty: there is no such
  // file) when the new file is renamed into place. False: it is not, and nothing was written. The owner is set before
  // the rename.
  virtual Result<bool> replace_text(const std::string& path, const std::optional<FileText>& before,
                                    const FileText& after) = 0;
  // Appends in one write; creates the file if necessary. The mode applies only to a new file.
  virtual Result<void> append(const std::string& path, std::string_view content, mode_t mode = 0644) = 0;
  // The same for a file that other programs append to, under its own lock (flock). EWOULDBLOCK: another process holds
  // the lock. ENOENT: there is no such file.
  virtual Result<void> append_locked(const std::string& path, std::string_view content) {
    if (auto known = info(path); !known) return std::move(known).error();
    return append(path, content);
  }
  // Writes into an existing special file (/sys, /proc) in place, in one write. In a regular file it overwrites the
  // beginning and allocates no space: this works on a full disk, but is not atomic.
  virtual Result<void> write_in_place(const std::string& path, std::string_view content) = 0;

  // Replaces an existing file or link.
  virtual Result<void> symlink(const std::string& target, const std::string& path) = 0;
  virtual Result<void> copy(const std::string& from, const std::string& to, mode_t mode) = 0;  // atomic as write()
  virtual Result<void> rename(const std::string& from, const std::string& to) = 0;
  virtual Result<void> remove(const std::string& path) = 0;  // a file, symlink or empty directory; no error if absent
  // The same, but durable on return: a removed file does not come back after a power cut.
  virtual Result<void> remove_durable(const std::string& path) = 0;
  virtual Result<void> remove_tree(const std::string& path) = 0;  // with everything below it; no error if absent
  virtual Result<void> make_directories(const std::string& path, mode_t mode = 0755) = 0;  // mode: of the last one
  virtual Result<void> set_mode(const std::string& path, mode_t mode) = 0;
  virtual Result<void> set_owner(const std::string& path, uid_t uid, gid_t gid) = 0;

  // Takes the lock, or fails at once with EWOULDBLOCK and names the owner. `note` is stored in the owner's record.
  virtual Result<std::unique_ptr<FileLock>> try_lock(const std::string& path, const std::string& note) = 0;
  // Takes the lock as soon as it is free, without polling.
  virtual Task<Result<std::unique_ptr<FileLock>>> lock(std::string path, std::string note) = 0;
  virtual Result<LockOwner> lock_owner(const std::string& path) = 0;

  // The durability barrier: everything that was written before the call survives a power cut once it has returned.
  virtual Task<Result<void>> sync() = 0;
};

}  // namespace sunup::host
