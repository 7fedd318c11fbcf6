// The one way to change a file that others change, too (/etc/fstab, sshd_config ...): its text is read right before it
// is written, and nothing is written if it has changed in between; then the change is made again, from what is there
// now.
//
//   Result<bool> written = host::edit(files, "/etc/fstab", [](const std::optional<FileText>& before) {
//     return Result<std::optional<FileText>>(FileText{with_our_line(before->text), before->mode});
//   });
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "host/files.h"

namespace sunup::host {

// Returns the new text for the old one. The old one is empty if there is no file; an empty result leaves it as it is.
using Change = std::function<Result<std::optional<FileText>>(const std::optional<FileText>& before)>;

// True: it was written, and is durable. The owner is kept. EBUSY: it changed each time.
Result<bool> edit(Files& files, const std::string& path, const Change& change);

}  // namespace sunup::host
