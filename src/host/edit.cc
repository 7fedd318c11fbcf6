#include "host/edit.h"

#include <cerrno>

namespace sunup::host {
namespace {

constexpr int kTries = 100;

bool is_same(const FileText& after, const std::optional<FileText>& before) {
  return before && after.text == before->text && after.mode == before->mode &&
         (!after.owner || after.owner == before->owner);
}

// Empty: the file has changed since it was read.
Result<std::optional<bool>> put(Files& files, const std::string& path, const std::optional<FileText>& before,
                                const Result<std::optional<FileText>>& after) {
  if (!after) return after.error();
  if (!*after || is_same(**after, before)) return std::optional(false);
  const auto replaced = files.replace_text(path, before, **after);
  if (!replaced) return replaced.error();
  return *replaced ? std::optional(true) : std::nullopt;
}

Error keeps_changing(const std::string& path) {
  return Error::from_errno(EBUSY, "editing " + path + ", which keeps changing");
}

}  // namespace

Result<bool> edit(Files& files, const std::string& path, const Change& change) {
  for (int i = 0; i < kTries; ++i) {
    const auto before = files.text_if_there(path);
    if (!before) return before.error();
    const auto done = put(files, path, *before, change(*before));
    if (!done) return done.error();
    if (*done) return **done;
  }
  return keeps_changing(path);
}

Task<Result<bool>> edit_slowly(Files& files, std::string path, SlowChange change) {
  for (int i = 0; i < kTries; ++i) {
    const auto before = files.text_if_there(path);
    if (!before) co_return before.error();
    const auto after = co_await change(*before);
    const auto done = put(files, path, *before, after);
    if (!done) co_return done.error();
    if (*done) co_return **done;
  }
  co_return keeps_changing(path);
}

}  // namespace sunup::host
