#include "host/sim/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sunup::host::sim {

std::string World::boot_id() const {
  return fmt::format("boot-{}", boot);
}

std::map<std::string, std::string> World::read_by(const Unit& unit) const {
  std::map<std::string, std::string> files;
  for (const std::string& prefix : unit.reads)
    for (auto at = disk.lower_bound(prefix); at != disk.end() && at->first.starts_with(prefix); ++at)
      if (at->second.kind != FileKind::kDirectory) files[at->first] = at->second.content;
  return files;
}

void World::made_durable(const std::map<std::string, std::optional<Node>>& nodes) {
  for (const auto& [path, node] : nodes) {
    std::erase_if(renamed, [&path](const auto& pair) { return pair.first == path || pair.second == path; });
    if (node)
      durable[path] = *node;
    else
      durable.erase(path);
    // Writes during the sync are still pending.
    const auto now = disk.find(path);
    if (node ? now != disk.end() && now->second == *node : now == disk.end()) dirty.erase(path);
  }
}

void World::write_as_other(const OtherWriter& other, int64_t now_ns) {
  const auto found = disk.find(other.path);
  if (found == disk.end() || found->second.kind != FileKind::kRegular) return;
  if (other.how == OtherWriter::How::kRemoves) {
    disk.erase(found);
    made_durable({{other.path, std::nullopt}});
    std::erase_if(written_by_others, [&other](const OtherWriter& earlier) { return earlier.path == other.path; });
    removed_by_others.insert(other.path);
    return;
  }
  if (other.how == OtherWriter::How::kReplaces) {
    found->second.content.insert(0, other.line);
  } else {
    if (!found->second.content.ends_with('\n')) return;
    found->second.content += other.line;
  }
  found->second.modified_ns = now_ns;
  made_durable({{other.path, found->second}});
  written_by_others.push_back(other);
}

void World::power_cut() {
  for (const auto& [to, from] : std::exchange(renamed, {})) {
    const auto now = disk.find(to);
    const auto old = durable.find(from);
    if (now == disk.end() || old == durable.end() || !(now->second == old->second) || disk.contains(from)) continue;
    if (random.chance(50)) {
      durable[to] = now->second;
      durable.erase(from);
    }
    dirty.erase(to);
    dirty.erase(from);
  }
  for (const std::string& path : dirty) {
    const auto now = disk.find(path);
    const auto old = durable.find(path);
    const bool is_file = now != disk.end() && now->second.kind == FileKind::kRegular;
    switch (random.below(is_file && !whole.contains(path) ? 4 : 2)) {
      case 0:  // it never reached the disk
        break;
      case 1:  // it reached the disk
        if (now != disk.end())
          durable[path] = now->second;
        else
          durable.erase(path);
        break;
      case 2: {  // the name reached the disk, but not all of the bytes
        Node cut = now->second;
        const std::string before = old == durable.end() ? "" : old->second.content;
        const size_t kept =
            cut.content.starts_with(before) ? before.size() : 0;  // if it was appended to, the old part is safe
        cut.content.resize(kept + random.below(cut.content.size() - kept + 1));
        durable[path] = std::move(cut);
        break;
      }
      default: {  // the length reached the disk; the last bytes read as zeros
        Node zeros = now->second;
        const std::string before = old == durable.end() ? "" : old->second.content;
        const size_t kept = zeros.content.starts_with(before) ? before.size() : 0;
        const size_t from = kept + random.below(zeros.content.size() - kept + 1);
        std::fill(zeros.content.begin() + static_cast<std::ptrdiff_t>(from), zeros.content.end(), '\0');
        durable[path] = std::move(zeros);
        break;
      }
    }
  }
  whole.clear();
  durable["/"] = Node{FileKind::kDirectory, 0755, ""};
  // A file is lost with its directory.
  for (auto at = durable.begin(); at != durable.end();) {
    const size_t slash = at->first.rfind('/');
    const std::string parent = slash == 0 ? "/" : at->first.substr(0, slash);
    at = at->first != "/" && !durable.contains(parent) ? durable.erase(at) : std::next(at);
  }
  // /run and /proc are not on the disk.
  for (auto at = durable.lower_bound("/run/"); at != durable.end() && at->first.starts_with("/run/");)
    at = durable.erase(at);
  disk = durable;
  dirty.clear();
  for (auto& [name, unit] : units) {
    unit.active = "inactive";
    unit.result = "success";
    unit.active_since_us = 0;
    unit.runs_from.clear();
    unit.read.reset();
  }
  some_unit_enabled = false;
  started_outdated.clear();
  sysctls.clear();
  modules.clear();
  mounts.clear();
  locks.clear();
  ++boot;
  clock = std::chrono::seconds(1);
}

Tree appears_with(const Unit& unit) {
  Tree made;
  for (const std::string& path : unit.makes) made[path] = Node{FileKind::kSocket, 0660, ""};
  for (const auto& [path, content] : unit.writes) made[path] = Node{FileKind::kRegular, 0600, content};
  return made;
}

void World::process_ended(TimePoint now) {
  locks.clear();
  clock = now.time_since_epoch() + std::chrono::milliseconds(100);
  // Running jobs belong to systemd and complete.
  for (auto& [name, unit] : units)
    if (unit.active == "activating") {
      unit.active = "active";
      for (auto& [path, node] : appears_with(unit)) disk[path] = std::move(node);
      unit.active_since_us = static_cast<uint64_t>(clock / std::chrono::microseconds(1));
    }
}

}  // namespace sunup::host::sim
