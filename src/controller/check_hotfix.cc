#include "controller/check_hotfix.h"

#include "base/node_paths.h"
#include "controller/hotfix_pointer.h"
#include "controller/os_reason.h"
#include "host/edit.h"

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

// Replaces the hotfixes; a version that an operator has set stays.
Result<void> leave_pointer(Node& node, const Hotfixes& hotfixes) {
  const auto with_hotfixes = [&](const std::optional<host::FileText>& before) {
    HotfixPointer pointer;
    auto old = before ? parse_pointer(before->text) : HotfixPointer();
    if (old)
      pointer = *std::move(old);
    else
      node.log.warn("the old hotfix pointer is invalid, starting over", {{"error", old.error().what}});
    pointer.hotfixes = hotfixes;
    const mode_t mode = before ? before->mode : 0644 & ~node.umask;
    return Result<std::optional<host::FileText>>(host::FileText{to_json(pointer), mode});
  };
  auto left = host::edit(node.files, paths::kHotfixPointer, with_hotfixes);
  return left ? Result<void>() : std::move(left).error();
}

}  // namespace

void check_hotfix(Node& node) {
  const report::WallTime start = node.now();
  node.log.info("check-hotfix started", {{"version", node.version}});
  node.log.warn("this build cannot query the live patching service, using the node config");
  std::string outcome = "customDataFallback";
  std::string error;
  auto hotfixes = from_node_config(node);
  if (!hotfixes) {
    error = hotfixes.error().what;
  } else if (const auto left = leave_pointer(node, *hotfixes); !left) {
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
