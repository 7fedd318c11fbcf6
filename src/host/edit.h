// The only way to change a file that other programs change, too (/etc/fstab, sshd_config ...). The text is read right
// before it is written, and nothing is written if it has changed in between. In that case the change is made again from
// the new text.
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

// Returns the new text for the old one. `before` is empty if there is no file. An empty result leaves the file as it
// is. A result with an owner gives the file to this owner.
using Change = std::function<Result<std::optional<FileText>>(const std::optional<FileText>& before)>;

// True: the file was written and is durable. The owner is kept as write() keeps it, unless the change names one. EBUSY:
// the file changed at each attempt.
Result<bool> edit(Files& files, const std::string& path, const Change& change);

// The same for a change that takes time, for example because a program checks the new text.
using SlowChange = std::function<Task<Result<std::optional<FileText>>>(std::optional<FileText> before)>;
Task<Result<bool>> edit_slowly(Files& files, std::string path, SlowChange change);

}  // namespace sunup::host
