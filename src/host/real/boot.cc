#include "host/real/boot.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "base/text.h"
#include "host/processes.h"
#include "host/real/fd.h"

namespace sunup::host::real {
namespace {

// Empty: there is no such file, or no such process any more. A file of /proc that fits is complete after one read.
Result<std::optional<std::string>> read_proc(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd && (errno == ENOENT || errno == ENOTDIR)) return std::optional<std::string>();
  if (!fd) return Error::from_errno(errno, "opening " + path);
  std::string text(4096, '\0');
  ssize_t got;
  do {
    got = ::read(fd.get(), text.data(), text.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0 && errno == ESRCH) return std::optional<std::string>();
  if (got < 0) return Error::from_errno(errno, "reading " + path);
  text.resize(static_cast<size_t>(got));
  return std::optional(std::move(text));
}

}  // namespace

Result<std::string> boot_id() {
  const auto text = read_proc("/proc/sys/kernel/random/boot_id");
  if (!text) return text.error();
  const std::string id(trimmed(text->value_or("")));
  return id.empty() ? "unknown" : id;
}

Result<std::optional<uint64_t>> process_start_ticks(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/stat";
  const auto text = read_proc(path);
  if (!text) return text.error();
  if (!*text) return std::optional<uint64_t>();
  const auto ticks = start_ticks_in(**text);
  if (!ticks) return Error(path + ": its fields are not those of a process");
  return ticks;
}

}  // namespace sunup::host::real
