#include "controller/callers_path.h"

#include <limits.h>
#include <unistd.h>

#include <cerrno>

namespace sunup::controller {

Result<std::string> callers_path(const std::string& path) {
  if (path.starts_with('/')) return path;
  char here[PATH_MAX];
  if (getcwd(here, sizeof here) == nullptr) return Error::from_errno(errno, path + ": the working directory");
  return std::string(here) + "/" + path;
}

}  // namespace sunup::controller
