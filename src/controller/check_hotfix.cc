#include "controller/check_hotfix.h"

#include "controller/hotfix_pointer.h"
#include "controller/os_reason.h"
#include "controller/paths.h"

namespace sunup::controller {
namespace {

using Hotfixes = std::map<std::string, std::string>;

Result<Hotfixes> from_node_config(Node& node) {
  const auto text = node.files.read(paths::kNodeConfig);
  if (!text) return Error(std::string("open ") + paths::kNodeConfig + ": " + os_reason(text.error().os_errno));
  auto found = cold_start_hotfixes(*text);
  if (!found) return Error("node config: " + found.error().what);
  if (!*found) return Error("the node config names no hotfixes");
  return std::move(**found);
}

// Replaces the hotfixes; a version that an operator put there stays.
Result<void> leave_pointer(Node& node, Hotfixes hotfixes) {
  HotfixPointer pointer;
  mode_t mode = 0644 & ~node.umask;
  const auto there = node.files.info_if_there(paths::kHotfixPointer);
  if (!there) return there.error();
  if (*there) {
    mode = (*there)->mode;
    const auto text = node.files.read(paths::kHotfixPointer);
    if (!text) return text.error();
    auto old = parse_pointer(*text);
    if (old)
      pointer = std::move(*old);
    else
      node.log.warn("the old hotfix pointer cannot be read, starting afresh", {{"error", old.error().what}});
  }
  pointer.hotfixes = std::move(hotfixes);
  return node.files.write(paths::kHotfixPointer, to_json(pointer), mode);
}

}  // namespace

void check_hotfix(Node& node) {
  const report::WallTime start = node.now();
  node.log.info("check-hotfix started", {{"version", node.version}});
  node.log.warn("asking the live patching service is not in this build, looking into the node config");
  std::string outcome = "customDataFallback";
  std::string error;
  auto hotfixes = from_node_config(node);
  if (!hotfixes) {
    error = hotfixes.error().what;
  } else if (const auto left = leave_pointer(node, std::move(*hotfixes)); !left) {
    error = left.error().what;
  }
  if (!error.empty()) outcome = "failed";
  node.tell_guest_agent({.task = "CheckHotfix",
                         .level = error.empty() ? report::EventLevel::kInformational : report::EventLevel::kError,
                         .message = "check-hotfix outcome=" + outcome + (error.empty() ? "" : " error=" + error),
                         .start = start,
                         .end = node.now()});
  node.log.info("check-hotfix finished", {{"outcome", outcome}, {"error", error}});
}

}  // namespace sunup::controller
