#include "host/sim/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

namespace sunup::host::sim {
namespace {

using Kind = Core::Kind;

std::string parent_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

Error no_such(std::string_view what, const std::string& path) {
  return Error::from_errno(ENOENT, fmt::format("{} {}", what, path));
}

int64_t now_ns(const Core& core) {
  return std::chrono::nanoseconds(core.loop.wall().time_since_epoch()).count();
}

}  // namespace

class Lock : public FileLock {
 public:
  Lock(Files& files, std::string path) : files_(files), path_(std::move(path)) {}
  ~Lock() override {
    if (files_.core_.dead()) return;  // the kernel has released it already
    files_.core_.world.locks.erase(path_);
    for (const Slot<bool>& waiter : std::exchange(files_.waiting_for_lock_, {})) waiter.set(true);
  }

 private:
  Files& files_;
  std::string path_;
};

const Node* Files::find(const std::string& path) const {
  std::string at = path;
  for (int links = 0; links < 8; ++links) {
    const auto found = core_.world.disk.find(at);
    if (found == core_.world.disk.end()) return nullptr;
    if (found->second.kind != FileKind::kSymlink) return &found->second;
    const std::string& target = found->second.content;
    at = target.starts_with('/') ? target : parent_of(at) + "/" + target;
  }
  return nullptr;
}

Result<std::string> Files::read(const std::string& path, uint64_t most) {
  if (auto going = core_.operation(Kind::kRead, "read", path); !going) return std::move(going).error();
  const Node* node = find(path);
  if (node == nullptr) return no_such("reading", path);
  if (node->kind != FileKind::kRegular) return Error::from_errno(EISDIR, "reading " + path);
  if (node->content.size() > most) return Error::from_errno(EFBIG, "reading " + path);
  return node->content;
}

Result<FileInfo> Files::info(const std::string& path) {
  if (auto going = core_.operation(Kind::kRead, "look at", path); !going) return std::move(going).error();
  const Node* node = find(path);
  if (node == nullptr) return no_such("looking at", path);
  FileInfo info;
  info.kind = node->kind;
  info.mode = node->mode;
  info.size = node->content.size();
  info.modified_ns = node->modified_ns;
  info.changed_ns = node->modified_ns;
  info.own = node->own;
  info.uid = node->owner.uid;
  info.gid = node->owner.gid;
  return info;
}

Result<std::string> Files::read_link(const std::string& path) {
  if (auto going = core_.operation(Kind::kRead, "read link", path); !going) return std::move(going).error();
  const auto found = core_.world.disk.find(path);
  if (found == core_.world.disk.end()) return no_such("reading the link", path);
  if (found->second.kind != FileKind::kSymlink) return Error::from_errno(EINVAL, "reading the link " + path);
  return found->second.content;
}

Result<uint64_t> Files::free_kib(const std::string& path) {
  if (auto going = core_.operation(Kind::kRead, "free space of", path); !going) return std::move(going).error();
  const auto known = core_.world.free_kib.find(path);
  return known == core_.world.free_kib.end() ? uint64_t{1} << 24 : known->second;
}

Result<std::vector<std::string>> Files::list(const std::string& directory) {
  if (auto going = core_.operation(Kind::kRead, "list", directory); !going) return std::move(going).error();
  const Node* node = find(directory);
  if (node == nullptr) return no_such("listing", directory);
  std::vector<std::string> names;
  const std::string prefix = directory == "/" ? "/" : directory + "/";
  for (auto at = core_.world.disk.lower_bound(prefix); at != core_.world.disk.end() && at->first.starts_with(prefix);
       ++at)
    if (const std::string name = at->first.substr(prefix.size()); !name.empty() && name.find('/') == std::string::npos)
      names.push_back(name);
  return names;
}

Result<void> Files::make_parents(const std::string& path) {
  const std::string parent = parent_of(path);
  const auto found = core_.world.disk.find(parent);
  if (found != core_.world.disk.end()) {
    if (found->second.kind == FileKind::kRegular) return Error::from_errno(ENOTDIR, "making " + path);
    return {};
  }
  if (auto made = make_parents(parent); !made) return made;
  core_.put(parent, Node{FileKind::kDirectory, 0755, ""});
  return {};
}

Result<void> Files::replace(std::string_view what, const std::string& path, Node node) {
  if (auto going = core_.operation(Kind::kWrite, what, path); !going) return going;
  return place(what, path, std::move(node));
}

Result<void> Files::place(std::string_view what, const std::string& path, Node node,
                          const std::optional<FileOwner>& owner) {
  if (auto made = make_parents(path); !made) return made;
  const auto old = core_.world.disk.find(path);
  if (old != core_.world.disk.end() && old->second.kind == FileKind::kDirectory)
    return Error::from_errno(EISDIR, fmt::format("{} {}", what, path));
  if (auto room = core_.room(path, node.content.size()); !room)
    return room;  // the old file is replaced when the new one is complete
  // As on the real machine, a secret does not keep the owner of an earlier file.
  if (owner)
    node.owner = *owner;
  else if (old != core_.world.disk.end() && old->second.kind == FileKind::kRegular && (node.mode & 077) != 0)
    node.owner = old->second.owner;
  node.modified_ns = now_ns(core_);
  core_.put(path, std::move(node));
  return {};
}

Result<void> Files::write(const std::string& path, std::string_view content, mode_t mode) {
  return replace("write", path, Node{FileKind::kRegular, mode, std::string(content)});
}

Result<void> Files::write_durable(const std::string& path, std::string_view content, mode_t mode) {
  if (auto written = replace("write durably", path, Node{FileKind::kRegular, mode, std::string(content)}); !written)
    return written;
  return make_durable(path);
}

Result<bool> Files::replace_text(const std::string& path, const std::optional<FileText>& before,
                                 const FileText& after) {
  if (auto going = core_.operation(Kind::kRead, "look again at", path); !going) return std::move(going).error();
  if (auto going = core_.operation(Kind::kWrite, "edit", path); !going) return std::move(going).error();
  const Node* node = find(path);
  const auto now = node == nullptr ? std::nullopt : std::optional(FileText{node->content, node->mode, node->owner});
  if (now != before) return false;
  auto written = place("edit", path, Node{FileKind::kRegular, after.mode, after.text}, after.owner);
  if (!written) return std::move(written).error();
  if (auto durable = make_durable(path); !durable) return std::move(durable).error();
  return true;
}

Result<void> Files::make_durable(const std::string& path) {
  // A crash point between the rename and the fsync of the directory; the bytes were synced before the rename.
  if (!core_.dead()) core_.world.whole.insert(path);
  if (auto going = core_.operation(Kind::kWrite, "fsync", path); !going) return going;
  std::map<std::string, std::optional<Node>> nodes;
  // Another program may have removed the file before the fsync.
  for (std::string at = path; at != "/"; at = parent_of(at)) {
    const auto found = core_.world.disk.find(at);
    nodes[at] = found == core_.world.disk.end() ? std::nullopt : std::optional(found->second);
  }
  core_.world.made_durable(nodes);
  return {};
}

Result<void> Files::append(const std::string& path, std::string_view content, mode_t mode) {
  Result<void> going = core_.operation(Kind::kWrite, "append", path);
  if (core_.dead()) return going;
  if (auto made = make_parents(path); !made) return made;
  if (auto room = core_.room(path, content.size()); going && !room) return room;
  const auto found = core_.world.disk.find(path);
  Node node = found == core_.world.disk.end() ? Node{FileKind::kRegular, mode, ""} : found->second;
  // A full disk accepts the bytes that fit.
  if (!going) content = content.substr(0, core_.random().below(content.size() + 1));
  node.content += content;
  node.modified_ns = now_ns(core_);
  core_.put(path, std::move(node));
  return going;
}

Result<void> Files::write_in_place(const std::string& path, std::string_view content) {
  if (auto going = core_.operation(Kind::kWrite, "write in place", path); !going) return going;
  const auto found = core_.world.disk.find(path);
  if (found == core_.world.disk.end()) return no_such("writing", path);
  Node node = found->second;
  const bool special = path.starts_with("/sys/") || path.starts_with("/proc/");
  const size_t covered = special ? node.content.size() : std::min(content.size(), node.content.size());
  if (auto room = core_.room(path, content.size() - covered); !room) return room;
  node.content.replace(0, covered, content);
  node.modified_ns = now_ns(core_);
  core_.put(path, std::move(node));
  return {};
}

Result<void> Files::symlink(const std::string& target, const std::string& path) {
  return replace("link", path, Node{FileKind::kSymlink, 0777, target});
}

Result<void> Files::copy(const std::string& from, const std::string& to, mode_t mode) {
  if (auto going = core_.operation(Kind::kRead, "read", from); !going) return going;
  const Node* node = find(from);
  if (node == nullptr) return no_such("copying", from);
  return replace("copy to", to, Node{FileKind::kRegular, mode, node->content});
}

Result<void> Files::rename(const std::string& from, const std::string& to) {
  if (auto going = core_.operation(Kind::kWrite, "rename to", to); !going) return going;
  const auto found = core_.world.disk.find(from);
  if (found == core_.world.disk.end()) return no_such("renaming", from);
  if (auto made = make_parents(to); !made) return made;
  std::vector<std::pair<std::string, Node>> moved = {{to, found->second}};
  for (auto at = core_.world.disk.lower_bound(from + "/");
       at != core_.world.disk.end() && at->first.starts_with(from + "/"); ++at)
    moved.emplace_back(to + at->first.substr(from.size()), at->second);
  World& world = core_.world;
  const bool whole = found->second.kind == FileKind::kRegular && !world.dirty.contains(from);
  for (auto& [path, node] : moved) core_.put(from + path.substr(to.size()), std::nullopt);
  for (auto& [path, node] : moved) core_.put(path, std::move(node));
  if (whole && !core_.dead()) world.renamed[to] = from;
  return {};
}

Result<void> Files::remove(const std::string& path) {
  if (auto going = core_.operation(Kind::kWrite, "remove", path); !going) return going;
  if (auto below = core_.world.disk.lower_bound(path + "/");
      below != core_.world.disk.end() && below->first.starts_with(path + "/"))
    return Error::from_errno(ENOTEMPTY, "removing " + path);
  if (core_.world.disk.contains(path)) core_.put(path, std::nullopt);
  return {};
}

Result<void> Files::remove_durable(const std::string& path) {
  const bool was_there = core_.world.disk.contains(path);
  if (auto removed = remove(path); !removed || !was_there) return removed;
  if (auto going = core_.operation(Kind::kWrite, "fsync", path); !going) return going;
  core_.world.made_durable({{path, std::nullopt}});
  return {};
}

Result<void> Files::remove_tree(const std::string& path) {
  if (auto going = core_.operation(Kind::kWrite, "remove tree", path); !going) return going;
  std::vector<std::string> paths;
  if (core_.world.disk.contains(path)) paths.push_back(path);
  for (auto at = core_.world.disk.lower_bound(path + "/");
       at != core_.world.disk.end() && at->first.starts_with(path + "/"); ++at)
    paths.push_back(at->first);
  for (const std::string& each : paths) core_.put(each, std::nullopt);
  return {};
}

Result<void> Files::make_directories(const std::string& path, mode_t mode) {
  if (core_.world.disk.contains(path)) return {};
  return replace("make directory", path, Node{FileKind::kDirectory, mode, ""});
}

Result<void> Files::set_mode(const std::string& path, mode_t mode) {
  if (auto going = core_.operation(Kind::kWrite, "set mode of", path); !going) return going;
  const auto found = core_.world.disk.find(path);
  if (found == core_.world.disk.end()) return no_such("setting the mode of", path);
  Node node = found->second;
  node.mode = mode;
  core_.put(path, std::move(node));
  return {};
}

Result<void> Files::set_owner(const std::string& path, uid_t uid, gid_t gid) {
  if (auto going = core_.operation(Kind::kWrite, "set owner of", path); !going) return going;
  const auto found = core_.world.disk.find(path);
  if (found == core_.world.disk.end()) return no_such("setting the owner of", path);
  Node node = found->second;
  node.owner = {uid, gid};
  core_.put(path, std::move(node));
  return {};
}

Result<std::unique_ptr<FileLock>> Files::try_lock(const std::string& path, const std::string& note) {
  if (auto going = core_.operation(Kind::kOther, "lock", path); !going) return std::move(going).error();
  if (!core_.world.locks.insert(path).second) return Error::from_errno(EWOULDBLOCK, "locking " + path);
  core_.put(path, Node{FileKind::kRegular, 0600, fmt::format("1 1 {} {}\n", core_.world.boot_id(), note)});
  return std::unique_ptr<FileLock>(new Lock(*this, path));
}

Task<Result<std::unique_ptr<FileLock>>> Files::lock(std::string path, std::string note) {
  while (true) {
    Result<std::unique_ptr<FileLock>> taken = try_lock(path, note);
    if (taken || taken.error().os_errno != EWOULDBLOCK) co_return taken;
    Slot<bool> freed(core_.loop);
    waiting_for_lock_.push_back(freed);
    co_await freed;
  }
}

Result<LockOwner> Files::lock_owner(const std::string& path) {
  Result<std::string> text = read(path, kLargestText);
  if (!text) return std::move(text).error();
  LockOwner owner;
  owner.pid = 1;
  owner.start_ticks = 1;
  owner.boot_id = core_.world.boot_id();
  const size_t note = text->find(' ', 4);
  if (note != std::string::npos) owner.note = text->substr(note + 1, text->size() - note - 2);
  return owner;
}

Task<Result<void>> Files::sync() {
  // The sync covers writes that are pending when it begins, not later ones.
  std::map<std::string, std::optional<Node>> begun;
  for (const std::string& path : core_.world.dirty) {
    const auto found = core_.world.disk.find(path);
    begun[path] = found == core_.world.disk.end() ? std::nullopt : std::optional<Node>(found->second);
  }
  if (auto waited = co_await core_.wait("sync", "/", std::chrono::milliseconds(20)); !waited) co_return waited;
  if (auto going = core_.operation(Kind::kWrite, "sync", "/"); !going) co_return going;
  core_.world.made_durable(begun);
  co_return Result<void>();
}

}  // namespace sunup::host::sim
