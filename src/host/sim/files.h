// Files of the simulated machine. A link is followed only if it is the last part of a path.
#pragma once

#include "host/files.h"
#include "host/sim/core.h"

namespace sunup::host::sim {

class Files : public host::Files {
 public:
  explicit Files(Core& core) : core_(core) {}

  Result<std::string> read(const std::string& path, uint64_t most = kLargestText) override;
  Result<FileInfo> info(const std::string& path) override;
  Result<std::string> read_link(const std::string& path) override;
  Result<uint64_t> free_kib(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& directory) override;
  Result<void> write(const std::string& path, std::string_view content, mode_t mode = 0644) override;
  Result<void> write_durable(const std::string& path, std::string_view content, mode_t mode = 0644) override;
  Result<bool> replace_text(const std::string& path, const std::optional<FileText>& before,
                            const FileText& after) override;
  Result<void> append(const std::string& path, std::string_view content, mode_t mode = 0644) override;
  Result<void> write_in_place(const std::string& path, std::string_view content) override;
  Result<void> symlink(const std::string& target, const std::string& path) override;
  Result<void> copy(const std::string& from, const std::string& to, mode_t mode) override;
  Result<void> rename(const std::string& from, const std::string& to) override;
  Result<void> remove(const std::string& path) override;
  Result<void> remove_durable(const std::string& path) override;
  Result<void> remove_tree(const std::string& path) override;
  Result<void> make_directories(const std::string& path, mode_t mode = 0755) override;
  Result<void> set_mode(const std::string& path, mode_t mode) override;
  Result<void> set_owner(const std::string& path, uid_t uid, gid_t gid) override;
  Result<std::unique_ptr<FileLock>> try_lock(const std::string& path, const std::string& note) override;
  Task<Result<std::unique_ptr<FileLock>>> lock(std::string path, std::string note) override;
  Result<LockOwner> lock_owner(const std::string& path) override;
  Task<Result<void>> sync() override;

 private:
  friend class Lock;
  const Node* find(const std::string& path) const;  // the target, if it is a link
  Result<void> make_parents(const std::string& path);
  Result<void> replace(std::string_view what, const std::string& path, Node node);
  // Like replace(), but does not count as an operation.
  Result<void> place(std::string_view what, const std::string& path, Node node,
                     const std::optional<FileOwner>& owner = {});
  Result<void> make_durable(const std::string& path);  // after a rename of a file that was synced before

  Core& core_;
  std::vector<Slot<bool>> waiting_for_lock_;
};

}  // namespace sunup::host::sim
