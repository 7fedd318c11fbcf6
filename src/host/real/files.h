// Files of the real machine. With a root other than "/", no path and no symlink in it leads out of the root (openat2
// with RESOLVE_IN_ROOT). The calls that do not wait may be made from any thread. files.cc resolves paths in the root;
// file_read.cc, file_write.cc, file_remove.cc and file_lock.cc contain the operations.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/files.h"
#include "host/real/fd.h"
#include "host/real/loop.h"

namespace sunup::host::real {

class Files : public host::Files {
 public:
  Files(Loop& loop, std::string root);
  // The files below a directory of this machine, by their full paths; as above, none leads out of it. All paths outside
  // the directory are absent.
  static Files below(Loop& loop, std::string directory) { return {loop, directory, directory}; }

  Result<std::string> read(const std::string& path, uint64_t most = kLargestText) override;
  Result<std::string> read_input(const std::string& path, uint64_t most, std::chrono::seconds patience) override;
  Result<std::string> read_part(const std::string& path, uint64_t from, size_t most) override;
  Result<FileInfo> info(const std::string& path) override;
  Result<std::string> read_link(const std::string& path) override;
  Result<uint64_t> free_kib(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& directory) override;
  Result<void> write(const std::string& path, std::string_view content, mode_t mode) override;
  Result<void> write_pieces(const std::string& path, const Fill& fill, mode_t mode) override;
  Result<void> write_durable(const std::string& path, std::string_view content, mode_t mode) override;
  Result<bool> replace_text(const std::string& path, const std::optional<FileText>& before,
                            const FileText& after) override;
  Result<void> append(const std::string& path, std::string_view content, mode_t mode) override;
  Result<void> append_locked(const std::string& path, std::string_view content) override;
  Result<void> write_in_place(const std::string& path, std::string_view content) override;
  Result<void> symlink(const std::string& target, const std::string& path) override;
  Result<void> copy(const std::string& from, const std::string& to, mode_t mode) override;
  Result<void> rename(const std::string& from, const std::string& to) override;
  Result<void> remove(const std::string& path) override;
  Result<void> remove_durable(const std::string& path) override;
  Result<void> remove_tree(const std::string& path) override;
  Result<void> make_directories(const std::string& path, mode_t mode) override;
  Result<void> set_mode(const std::string& path, mode_t mode) override;
  Result<void> set_owner(const std::string& path, uid_t uid, gid_t gid) override;
  Result<std::unique_ptr<FileLock>> try_lock(const std::string& path, const std::string& note) override;
  Task<Result<std::unique_ptr<FileLock>>> lock(std::string path, std::string note) override;
  Result<LockOwner> lock_owner(const std::string& path) override;
  Task<Result<void>> sync() override;

 private:
  Files(Loop& loop, std::string root, std::string prefix);
  // A name in a directory, for the *at() calls.
  struct Place {
    Fd directory;  // empty: `name` is a full path
    std::string name;
    int at() const;
  };

  static Error failed(std::string_view doing, const std::string& path);       // from errno
  static std::pair<std::string, std::string> split(const std::string& path);  // directory and name

  std::string in_root(const std::string& path) const;
  Result<Fd> open_in_root(const std::string& path, int flags, mode_t mode = 0);
  Result<Place> place(const std::string& path, bool make_parents);
  Result<void> make_directories_in(const std::string& path, mode_t mode);
  // Creates a file beside the target, lets `fill` write it, and renames it into place if `last_look` returns no error.
  // Without `owner` it belongs to the owner that write() defines.
  Result<void> replace(const std::string& path, mode_t mode, bool durable,
                       const std::function<Result<void>(int fd)>& fill,
                       const std::function<Result<void>()>& last_look = {}, const std::optional<FileOwner>& owner = {});
  Result<void> sync_directory(const Place& where, const std::string& path);
  void note_written(const Place& place);

  Loop& loop_;
  const std::string root_;         // "" for "/", otherwise without a slash at the end
  Fd root_fd_;                     // only for a root other than "/"
  const std::string prefix_ = {};  // the beginning of all paths: root_ or empty

  std::mutex written_mutex_;
  std::map<dev_t, Fd> written_;  // one directory of each file system that was written to
  int not_noted_ = 0;            // errno: a directory is missing in `written_`, so sync() cannot guarantee anything
};

}  // namespace sunup::host::real
