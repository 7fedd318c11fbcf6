#include "host/edit.h"

#include <cerrno>

namespace sunup::host {

Result<bool> edit(Files& files, const std::string& path, const Change& change) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    const auto before = files.text_if_there(path);
    if (!before) return before.error();
    const auto after = change(*before);
    if (!after) return after.error();
    if (!*after || *after == *before) return false;
    const auto replaced = files.replace_text(path, *before, **after);
    if (!replaced || *replaced) return replaced;
  }
  return Error::from_errno(EBUSY, "editing " + path + ", which keeps changing");
}

}  // namespace sunup::host
