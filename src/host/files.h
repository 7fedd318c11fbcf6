// Files, all below one root. Calls are made at once (they take microseconds); only the durability barrier waits.
//
// A reader never sees half a file: write() and symlink() build the new thing beside the old one and rename it into
// place, with its mode from birth. Nothing is promised to survive a power cut until sync() has come back.
#pragma once

#include <sys/types.h>

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
  bool own = true;  // belongs to the user that we are
  uint64_t size = 0;
  int64_t modified_ns = 0;  // wall clock, since the epoch
  int64_t changed_ns = 0;   // the same of anything about it (st_ctime): nobody can set it back
  uint64_t inode = 0;       // another one behind the same path: the file was replaced
  uint64_t device = 0;      // of the file system, which numbers its inodes by itself

  bool operator==(const FileInfo&) const = default;
};

// What a file holds, for those that edit it (edit.h).
struct FileText {
  std::string text;
  mode_t mode = 0644;

  bool operator==(const FileText&) const = default;
};

// Files carry the time of the kernel's last tick: so much younger than it looks a file may be.
inline constexpr int64_t kFileTimeTickNs = 10'000'000;

// So much of a file is read if nobody says how much: the texts of a node are far smaller, and a file without an end, or
// with a terabyte of nothing in it, must not take all memory.
inline constexpr uint64_t kLargestText = uint64_t{64} << 20;

// Who holds a lock: enough to tell a live owner from one that died or lived before a reboot.
struct LockOwner {
  pid_t pid = 0;
  uint64_t start_ticks = 0;  // of the process, so that a recycled pid is not mistaken for it
  std::string boot_id;
  std::string note;  // whatever the owner wanted to say, one line
};

// Held as long as the object lives. The kernel drops it when the process dies, however it dies.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

// There is no such path: ENOENT or ENOTDIR, and no other error.
bool is_absent(const Error& error);

class Files {
 public:
  virtual ~Files() = default;

  // The file must be there: ENOENT is an error like any other. EFBIG: it is larger than that. ETIMEDOUT: it is a pipe
  // or a device that has not come to its end within a second.
  virtual Result<std::string> read(const std::string& path, uint64_t most = kLargestText) = 0;
  // At most so many bytes from there on; fewer at the end.
  virtual Result<std::string> read_part(const std::string& path, uint64_t from, size_t most) {
    auto whole = read(path);
    if (whole) *whole = from < whole->size() ? whole->substr(from, most) : std::string();
    return whole;
  }
  virtual Result<FileInfo> info(const std::string& path) = 0;  // of what a symlink points to; ENOENT when absent
  virtual Result<std::string> read_link(const std::string& path) = 0;
  // KiB that are free for anybody on the file system that holds this path. ENOTSUP below a root other than "/": what is
  // free there is the builder's, not the node's.
  virtual Result<uint64_t> free_kib(const std::string& path) = 0;
  virtual Result<std::vector<std::string>> list(const std::string& directory) = 0;  // names, sorted; without . and ..

  // The same for paths that may be absent: the result is empty if there is no such path (is_absent()). Any other
  // failure (EIO, EMFILE, EACCES ...) is an error, because a file that cannot be read may still be there.
  Result<std::optional<std::string>> read_if_there(const std::string& path, uint64_t most = kLargestText);
  Result<std::optional<FileText>> text_if_there(const std::string& path);
  Result<std::optional<FileInfo>> info_if_there(const std::string& path);
  Result<std::optional<std::string>> link_if_there(const std::string& path);  // nothing, too: it is not a link
  Result<std::vector<std::string>> list_if_there(const std::string& directory);
  Result<bool> exists(const std::string& path);

  // Atomic: the path holds the old content or the new one. Missing directories above it are made (0755).
  // The mode is exact (the umask plays no part) and there from birth. An existing file's owner is kept, unless the mode
  // lets nobody else in: what is secret is ours, whoever had a file of that name before.
  virtual Result<void> write(const std::string& path, std::string_view content, mode_t mode = 0644) = 0;
  // The same for content that comes in pieces, none of which is kept: `fill` gives them to the function that it gets,
  // and the file takes its place if `fill` returns no error.
  using Piece = std::function<Result<void>(std::string_view piece)>;
  using Fill = std::function<Result<void>(const Piece& out)>;
  virtual Result<void> write_pieces(const std::string& path, const Fill& fill, mode_t mode = 0644);
  // The same, and durable when it returns (fsync of file and directory). For the few files that are read after a power
  // cut before anything else is; everything else is covered by the one barrier.
  virtual Result<void> write_durable(const std::string& path, std::string_view content, mode_t mode = 0644) = 0;
  // write_durable(), if the path still holds `before` (nothing: there is no such file) when the new file takes its
  // place. False: it does not, and nothing was written.
  virtual Result<bool> replace_text(const std::string& path, const std::optional<FileText>& before,
                                    const FileText& after) = 0;
  // Adds to the end in one write; makes the file if need be. The mode counts only for a new file.
  virtual Result<void> append(const std::string& path, std::string_view content, mode_t mode = 0644) = 0;
  // The same for a file that other programs append to, under its own lock (flock): EWOULDBLOCK while somebody else
  // holds it, ENOENT when there is no such file.
  virtual Result<void> append_locked(const std::string& path, std::string_view content) {
    if (auto known = info(path); !known) return std::move(known).error();
    return append(path, content);
  }
  // Writes into an existing special file (/sys, /proc) in place, in one write. In an ordinary file it covers the
  // beginning, which takes no room that the file does not have: possible on a disk that is full, but not atomic.
  virtual Result<void> write_in_place(const std::string& path, std::string_view content) = 0;

  virtual Result<void> symlink(const std::string& target, const std::string& path) = 0;        // replaces what is there
  virtual Result<void> copy(const std::string& from, const std::string& to, mode_t mode) = 0;  // atomic as write()
  virtual Result<void> rename(const std::string& from, const std::string& to) = 0;
  virtual Result<void> remove(const std::string& path) = 0;  // a file, symlink or empty directory; fine if absent
  // The same, and durable when it returns: what is gone does not come back after a power cut.
  virtual Result<void> remove_durable(const std::string& path) = 0;
  virtual Result<void> remove_tree(const std::string& path) = 0;  // with everything below; fine if absent
  virtual Result<void> make_directories(const std::string& path, mode_t mode = 0755) = 0;  // mode: of the last one
  virtual Result<void> set_mode(const std::string& path, mode_t mode) = 0;
  virtual Result<void> set_owner(const std::string& path, uid_t uid, gid_t gid) = 0;

  // Has the system read these files into memory, one after the other, beside everything else. It is a hint: files that
  // are absent or in memory cost nothing, and nothing is reported.
  virtual void read_ahead(std::vector<std::string> paths) { (void)paths; }

  // Takes the lock or says at once who has it: an error with EWOULDBLOCK. `note` ends up in the owner's record.
  virtual Result<std::unique_ptr<FileLock>> try_lock(const std::string& path, const std::string& note) = 0;
  // Takes the lock as soon as it is free, without polling.
  virtual Task<Result<std::unique_ptr<FileLock>>> lock(std::string path, std::string note) = 0;
  virtual Result<LockOwner> lock_owner(const std::string& path) = 0;

  // The durability barrier: whatever was written before survives a power cut once this has come back.
  virtual Task<Result<void>> sync() = 0;
};

}  // namespace sunup::host
